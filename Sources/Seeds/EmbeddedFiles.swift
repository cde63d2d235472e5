// Written by .ci/sources/embed.py.
// swift-format-ignore-file

/// The embedded files: texts as they are, others as base64.
package enum EmbeddedFiles {
  package static let `activities.json` =
#"""
[
  {"id": 7834, "created_at": "2018-04-19T09:38:41.000Z", "direction": "outbound", "from": "Pierre-Baptiste Béchu", "to": "06 46 62 12 33", "via": "NYC Office", "duration": "120", "is_archived": false, "call_type": "missed"},
  {"id": 7833, "created_at": "2018-04-18T16:59:48.000Z", "direction": "outbound", "from": "Jonathan Anguelov", "to": "06 45 13 53 91", "via": "NYC Office", "duration": "60", "is_archived": false, "call_type": "missed"},
  {"id": 7832, "created_at": "2018-04-18T16:53:22.000Z", "direction": "inbound", "from": "06 19 18 23 92", "to": "Jonathan Anguelov", "via": "Support FR", "duration": "180", "is_archived": false, "call_type": "answered"},
  {"id": 7831, "created_at": "2018-04-18T16:42:55.000Z", "direction": "inbound", "from": "06 34 45 74 34", "to": "Xavier Durand", "via": "Support FR", "duration": "180", "is_archived": false, "call_type": "answered"},
  {"id": 7830, "created_at": "2018-04-18T16:23:43.000Z", "direction": "inbound", "from": "+33 6 34 45 74 34", "to": null, "via": "Support FR", "duration": "120", "is_archived": false, "call_type": "voicemail"},
  {"id": 7829, "created_at": "2018-04-18T15:43:32.000Z", "direction": "inbound", "from": "+33 6 34 45 74 34", "to": "Olivier Pailhes", "via": "Spain Hotline", "duration": "300", "is_archived": false, "call_type": "answered"}
]

"""#

  package static let `booking.json` =
#"""
{
  "rooms": [
    {"name": "Ljerka", "spots": 43},
    {"name": "Mostafa", "spots": 4},
    {"name": "Helmold", "spots": 86},
    {"name": "Painter", "spots": 16, "portrait": true},
    {"name": "Septima", "spots": 84},
    {"name": "Alexis", "spots": 0},
    {"name": "Yana", "spots": 34, "portrait": true},
    {"name": "Mina", "spots": 39}
  ]
}

"""#

  package static let `devices.json` =
#"""
[
  {"id": "WWM-0001-12", "type": "warm_water", "meterPointDescription": "Kitchen", "installationDate": null},
  {"id": "CWM-0012-62", "type": "cold_water", "meterPointDescription": "Kitchen", "installationDate": null},
  {"id": "HEA-8127-29", "type": "heating", "meterPointDescription": "Hallway", "installationDate": null},
  {"id": "HEA-5513-39", "type": "heating", "meterPointDescription": "Hallway", "installationDate": "now"}
]

"""#

  package static let `house.json` =
#"""
{
  "temperature": 20,
  "rooms": {
    "Bedroom": {"Light1": false, "Light2": false, "AC": false},
    "Living Room": {"Light": false, "TV": false},
    "Kitchen": {"Light": false, "Music": false, "Slowcooker": false}
  }
}

"""#

  package static let `pictures/alexis.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAAUAAAADVBAMAAADUYjTdAAAAJ1BMVEXp38+5i17///98Wjqcy+j/8rBvooeKWjQ/XnhOilXzx1ouOkb////DugKBAAADQElEQVR42u3ZPW/bMBAGYAGdMhZZOqtLMxpaOruuBs/NHzCEA/ILOqdZOgrdtGfSr6xjfZj+4El3sk8X532HBLF55AMykmg6STTJNEWfErsACCCAAAIIIIAAAggggAACCCCAAAIIIIAAAggggAACCGCQdHyy2BtcP18FAwB4JeCKz7JvkMUacP38OO1nxfXz7oE/H7dxDNz5DoW+gI3v8ZdXYDuBB1PoCtj5wikEUADsVzhcYwABdAOs61oOXPdFVwfWdUTIAdf7omsDd0PVrzJgU1SbAOs6NoUMsC16NQCuw7FmAzJPEhWwK6oNgHUdXWNLYHw34wQY3w/OCaSxO+qV5knyFnrLJiUqdEAKKrnPJCpgTm02afNbB2QKJwFpnw7YpZACY8QJwAPQMfDEOAw8/y+iBuY0BDwccQTw7CRqgceWs8CQuJx8NpNqzmZSw8OjuYDEX12aJT63lpEl3g+5HAk8FiqAJAQ2Q44Gnlz9UiCJgburczzwUCgGkgZIIuDR7UkGzHXAQgQMhUJgzDcEpEIEJC0w6hsEbhtIgKQEkhmQVEAyBBYKYG4JJDkwJ1MgiYFkDCyEwNwaSDJgTubAQgQke+BO6BpI7oGFdyC5BxaWwLuqKqVAsgJW1b+HqjojTIe3aRbAqo8USCbApz2wlAI3xsDKJTDwHU8hgABu0sI7kGyv4lsEFpZPEg2Qn8LN/DPITmG+mf1JYgssNUBujekCwKqasJsZAOYXADJ3wbEdF9cEPnG+sR0z32ROBrI+B9+TPDD/gN6ApXNgmbgGRr4Kmz933PwBCKBF3APvojdpX1OYOBeWiW+hbx8yOX/7AAgggAACeLGPSpfMHth+DAPw5oGfnWUPbP4GEEAAAQTQeQAEEEAA5wL+Nk4UmEViDYw5/M8ggAACqAQ22V7n170PDw7wzoFH2+9tvnSvPDON1HUAAngC/LM7o/sWDtQe4z0zjdR1AH5IYMal76N/5Xs30AvTSF0n2bBiiQEEEEAAAfwQQOyoAQTQP5DfUXcJdsZtXphG6jrxjvq+OToJj0/uF80b4flK83MR1gVvsHXbARYTlnj8QFrgYR2AAAIIIIC3BnQQAAGcHZg5z3/7q5niWE2zAQAAAABJRU5ErkJggg==
"""#

  package static let `pictures/helmold.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAAUAAAADVBAMAAADUYjTdAAAAJ1BMVEXq2aila0T/+/BqQCap3Nb///9/o1twSiyMP01Kf0b313RaOiL/+OTiqhcqAAAC4ElEQVR42u3aMW+bQBgGYFaPUZfMTE2muunQ2cKW3Nn8gej6Df0DndMsHT10YasiKwO/MgYOYxPMHeYOXpz3HeKAvtw9+o7ABSUILPNlpLqAQAIJJJBAAgkkkEACCSSQQAIJJJBAAgkkkEACCSSQQAL7AsPWfA1tkk1sVWgYj0BPwKgl36Jo0VoQZQUF0FhWjNc6DoEEEkgggQQSSKBXYBzHyMBlnGWDC4yLwAKXGrhBBcZxcwtRgMsDcEOgDVCypOmrPIZiBKbpfytgmu7cAFeifXvhHiiiji7B+kW4CLO6FwtgVrfrDjybNC1mNsVZXUfgfTFgaprXXZ3VEuvV3edXOWB54mfzEv/QdaYlvjfU2V2DUkWPl75UpxqBZd3OADTVWQGlHSgjA0VMQGm4zQwGFLEAymjAlZzJYyg14aZpYLsnSXTxk+Ss7x1Q4mgEoIg9UI0AlC7AunAAoHQDytDAVVegGhYo0hV4KkQECjxQoQMFHijwQIUOFHigQgcKPFB9IGCSJB6A4gyYZMnGyT637oDKNXCWf+MOKI6A69z1b3GXf9Zb2Aeo3AITHVBgsi6BW2dAcQpMPACVF2DiDigfAxh5BCp0oDgBricO7J++49y132YI7AoM8KI717hZgMgMvIFlC2EbeNRCTN5xBwPsBsKv8ASAmEL428wsAW/hDP1RRyCB/C2+pvsg5rMOfDNTAVF9+RpvA+D8PYRAAgkkkMA8IVgqoH6hR+DVA2/AUgGLYwIJJJBAAsFDIIGjAx/AwyX2Bvw9cAgkkEAC0YBF9s8av/dh4wRTB34v999Pzfvyk7O3FxU/99rNHIDPJ6cPczov7rqbAejg5IH6rV1tzj/52c/1OS8pJpBAAgkkkEC/QNNuphzmdINSzum8uPtuhktMIIEEEggO5J+dVw689Q98uu53MwAdnDjw5tM8/1p/y1gcP8xtivXxuyHm1Y8QSCCBBBJIoD8g+v/NvAGsf99LcG7eDQAAAABJRU5ErkJggg==
"""#

  package static let `pictures/ljerka.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAAUAAAADVBAMAAADUYjTdAAAAJ1BMVEU/Sl5uWkzZ3eQrJDAUG0X38dUvP2Oje1K5gD5HeVr/4Iro4tImLj0KmEiIAAADA0lEQVR42u3ZvXKcMBAHcFqXnmtSX5V0vthFag+nGbvMzL1ARrOvkDpxk5IijfpUfsqAD7jTJwgEWm7+W9iGFcsP8SGQi2IgHjLnCwABBBBAAAEEEEAAAQQQQAABBBBAAAEEEEAAAQQQQAABnAvcO+PrPhx63q4Tt/11HQAXAJaOeLr8+bwP5+sGdp0nexOtjiPf1gEQwHzA78yBJ+bAI3fgiTnwCOBM4CkSWA4AywFgdJ044Hsd/wKFtbwDqOftOo58FPC1KfDuB+p5G2jkrTqufBTwY/v+EG2gnreBRt6q48rHAM8H2B+iBTTyFtDMm3Wc+Rhgu313iBbQyFtAM28CnXkAbx545P6gTgIU1MYCwHI2kPSQqYGB98H5kbIOgAsAry4EQXb82JM/0l2Doz47nYYgsLlZ1gPSBGAtXAsoaBKQ5EpAn28QWDdYAyiIN1AQcyAxB9JiQNE/MOcAxVJAvdlkoKBlgGYzORVIywDtOnIakJIDhbcOC6AI1WEAHKiTESiDvr5OPiCFn/hdHZkPKMeNSDIbkEaOSPmAI+tI7kCPkBHQPMkvSqm/NVCpignQ6ELVRPnc/Kx4AMnqwLoLz7+YAKXVgUqxApLVgV1UTIASwJlAYg+U5j3CDUgeYMEO+MIVKMddgvmA5AJWDKeAvwR5AN4WsBG6buS8cafdJHe+jmQCDJzqbKE2CFTMzzCAAAK4eSAe1DOBrMdihm8zBdvbw9WFVcFbyNN3RSzYBvMOLIo/fQAIIIAAAphsyihlXIDtdBSANw+8ZxYX4HkZQAABBBBA5gHgbOAj88ApBpAt8OfKASCAAN4s0DcGrg2cOBbXLZZ9Dg/uYOvAb9379y/3e7m29tOkxm8AAhgGtrN2xj5/f6z9bO5zSmMAAeQODH+V9sA3bXW/z+SNY8dinGIAAQQQQAA3/8I6NBZ3ZfThtYvkjePHYnyTAAjgmKmTnTmBcl5+POhrdwdX43bZKnFIMTfj2Wc64O5wDyCAzIFb/38xTjGAuYHZA0AAARyI/2djqKp+i5XhAAAAAElFTkSuQmCC
"""#

  package static let `pictures/mina.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAAUAAAADVBAMAAADUYjTdAAAAJ1BMVEXq2aila0T/+/BqQCap3Nb///9/o1twSiyMP01Kf0b313RaOiL/+OTiqhcqAAACu0lEQVR42u3av07DMBAG8EhMGSsW5rKwoizM/LFEZ/ICCN0rMAMLI0JdvDP5KamSpk1pYzf2XXKh3zcmueSnc+Q6SbMsJkVM0Vk2XAAEEEAAAQQQQAABBBBAAAEEEEAAAQQQQAABBBBAAAEEsJX58SnmEbnscSyAQsD7Y1N07rntPsnd0ae/BRBAAAEEEMApAx/KVZ5Egc65/sBFU1RWkQQ61y3sBC6aorIMChOB1aXcTz9gXeQGATrnaWEXcF30U9+BgbswDbjYXCsKWJbhFo4AbIrcAEDnfGMcAj5sgU8AKgWGfqX8+wEEcGzgAPPgfweGfotplecxgd7VDNV5Tn67JZ6pAgcZ4sPPJIZaGfcevPfcfGqBpBtoSDdwz6cMuO9TAGwkLwd9YwMpmDGBhkg1kCgaaFeRBhqKB9oqS1Hgsb5DwNwyCT1AogSgbSIHJB7gUgpIScDccgm7gMQGtCJAwwhcCgD7+YYH9vQFgJYfSMqBJh1oJYG9ffvAXBRI6UArCTTpwFwUSMqBxA7knQeNdiApBxoBIOs9SKzA78f0Fu4CDTOQoYUiwD8TNSOQmIC5ENBwATMhICnvoGED2mkB2aYZUt5BIwZcngiQxICWBWhOGajuW516YK4d+LeFmbrstvBLHzBTD9xpYqYcqLOBrVFWqfvcROkAb4EZgAACCOCJAev11xY4VxYA/z9wVmULnCkLgAACCCCAygMggACGgIXyTHeIXwcOgAACCKA2YJ3VVC47DwcvMHHg/oPARbPlzXNQdB2AEkDvWmdzjs2Wm2bLh+eg6Lrey63P9+od3VW7E+sXim+eg6Lr+g8xgAACCCCAAAJ48kD/cqs5R2vZtL7Qh+eg6Dost4YH4pkEQAABlAWe12922u93zq9bO2at3cV1eh2AAGoETvtjIoYYQADxpwoAAQzlFw7ocY5mOd9SAAAAAElFTkSuQmCC
"""#

  package static let `pictures/mostafa.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAAUAAAADVBAMAAADUYjTdAAAAJ1BMVEXmybiOak/69vBbQDD2tI//8MiMb49LOjIvb3Nej0z/tFRKLyr/8+Yyhv6iAAAC3klEQVR42u3Zu27bMBQGYAOdPBZdMrdLMxpaOrcuB8/NCwTEAfwEndMsHY1s3DPxKZtIlhTL4RHvOnb/fzAsmYf8IFr31SomTUzRh1W9AAgggAACCCCAAAIIIIAAAggggAACCCCAAAIIIIAAAgjgm3z2T+P6gevnS8AAABYCbvl8Hxo0rgZcPz/O+9ly/QAIIIAAAggggAACKBVorQ0H7oai4kBrHUIOuBuLSgPboexzGLArslWA1ro2IQM8Fj1XAO7ejnU1wL7IVgBa65zjeODPu5cIBra+USgMSH3ufs0B05Ozn0sEep+LtzHn4rN+6P3kuFjIASR3RAAZH90vD1SUBdgX6NxA3ucJPK3RWYGUDjyv0pKAyrFzZQGq+2Sgsy4LkJKB7jqdAUgJwPYwvmXqSCcDKRHI1xEv9ACq0kBW6AGk4kBOOA+kCkBGOAtUVYAUD6Q6QB0LpEpAp3AGqKoBKQ5I9YA6BqgqAh1CHkg1gRQOVHWBOhhIfsC9MeYpA5BCgcoTaF6TA6gDgeQH3LfApwxAKgM0XXIAdRBQSQeSH3BvhiQDKQSoPIHGMMJQoA4Akh9wbzhhKJDyA01eoPYGKj/g6QY0h3pAWgZIhYFTYThQewJVJHAiLAekWKBJBFJx4EHYU37xwFt2jiW8JxEPvGX3EgkB8H8DHgAMzFr6DK+lz/Ba+AYEMN9evJb5FxyBK6EbsJ/jw+uXg2ig2IjdO/r8HQIggAACCGC22/WcGYHHRwEAXj3wo7CMwG4ZQAABBBBA4QEQQAABXAr4u3IALAZsHKkNdDkwxQCKBXZ5+ZeWPQ7PDnDpwG/99ffD+9flJ2tvoho/AgggDzw+tZuM+add+3U6ZkxjAAEEEMCFgQ2bAfh4snoYM3tj/0t+TDGAAAII4IUAcU8CIICXDbwpD3xIe0/yadN+Th9BdcvNxqfxcfmsi81YAmBJYCM8mGIAAQRwYeDiAfDqgf8Ayjd75UJ/sEMAAAAASUVORK5CYII=
"""#

  package static let `pictures/painter.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAANUAAAFABAMAAADZsiT0AAAAJ1BMVEXJ2NKooZb08eprZVy/4PD/6aZOj4ZuSzXAVj8+eFD/2YozQz738+glLMxYAAADDUlEQVR42u3arW/cMBgGcEtDx1aVFE4e2dh1GShfW1DcI8UnSwengeJtZDAqOCm8yH/l8u18vbGd5HV7l+dB6b2Nf7XzYSdXIch8oEsRXdqKKYEFCxYsWLBgwYIFCxYsWLBgwYIFCxYsWLBgwYIFa2lLdvJZkono0rfuB7DYrNtWftySiejS9/aPsGDBWru1S/MYxtrtSozfuiusXQirpNKOsVtVt9KOnZVVU7vHU7YetKYs3S2ZaP3qb6VUp8UmRWFZ5dXXyql2ixX1pHstNql2ycXS/d1a3Rrs2EO/NM96GijNsqq9tJel+6V5ltbkIC5n3Z2BNRhzn7f95nzLzF/8lpmXA1j1eiOEVbcACxYsWLBgrdNiycosnIewYMGCBQsWLFiwYMF6b5aqsw9opQlpjWmDVnPXva9Fa3IUanLuFnXcpFWqdvawCKxt3SsqftbwOEp7p8o/1c9SFkuNxtNSY9a9WtZStGWj/C1FWVZqgqWGLTs1xdoPWQ5Uz0qyjFsdTDqcgYPWJrfi3DokicsoSleqayVFMuuQbThg0pWirUOxZR9F6XawetbGWOXW0dox6dqtqZZqWmqm9bXcSkbPxWzwpOK2VH1NTbWEu7Wvhm6mFTtYpoWp1qa6bwSwQvbrba2E35K1dTwHqz4PjZWcgyWKIWyeG3yWyKlAVrm2gXWq1pHdSsJZ7kM47/pKzFqAdU7Jb1JxvcbhtYr74cb5aM2+98amWy9835sn3chw1ktAKxZ8gTU/5TlfX19C8HbsXx1ma9OyYsHcsYYluGOsOKAlYMFq/WeZsSRbPsFawLrIY6wLtnyEBQsWuxUisGCtz4o6eV4svzotb3v9Ws76aR1DWLDeg1UkvRymXrKXUXTtdd8Ia5GLAqpwVX3+F9ZbWH/yh6YvfYsoXJWPbiu0IiJ1k66FG2MNZ4vjBQsWLFhrtU58vUHOlVVcCzfG8p4rsT6cadFN2q3f3u83LosHlcijcN0ow4IFCxarFeIdLF+2eGcOCxYsWLBO0sJcCQsWLFiwYGGuhDXJ+g9J47HrhPFPqAAAAABJRU5ErkJggg==
"""#

  package static let `pictures/septima.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAAUAAAADVBAMAAADUYjTdAAAAJ1BMVEXmybiOak/69vBbQDD2tI//8MiMb49LOjIvb3Nej0z/tFRKLyr/8+Yyhv6iAAADCUlEQVR42u3ZvW7bMBAHcK0ajS6dPXWMkwyZi5RAO1svYBD3Cp3bLB2DDga0Fp3ylFH1TVKWKZEnndz/DYbFO5E/kZIg2UlyJe5WzicAAggggAACCCCAAAIIIIAAAggggAACCCCAAAIIIIAAAhgK3A/G/WBrVz+ct/ef0z+ADMBnNz7fDzXuu/pHO2XVPlr1/v3fCnB/BTip/ktWhG+9F/CtiL8jQCdvDVjlm/rSZwjH+vcBfvvXwdtloJs3gXW+qa982dGvfx9gub97iC3QzZvAOm8BM7/+PYDVAbqH2Aw4kDeATd4GHr369wDW+zuH2Aw4kDeATf7PBeB4/ysCMwClAGPfqDPnMg6+UQMIIICrAI8ABgKf2YBUxSkMeOQBKmpjLtB9oo4H7PE6oF7/naTuwOB1QCLNeM5OABJdAhJZ5+epbNSLAhWNAStML1V/0RxA/1iifotAd7JVu2QXl9hO9bc09zmoKAxYX0NsQEXBQOIEKooAJEYgRQEWJyITkCIBiQlI0YDEAlQRgScGoCLhQBIOVMKBioQDSThQSQeScKCSDVT+A64CnDLg8sA8zzmBOgRY2H5/LT7OjECaDcx7wQnUM4FpH3hmBNJMYL4YUM8CpssBaQ7Q9AkE5ksCdTiQWIE0HTi6wvGBOhRIzECaDBzRiQOelwBq6UAKWWJ3oRmAOhh4lg7MeYEUdpuxppADqG8MOL7GHEAKB8r6GyIFMD4wkRWO71UYMN0cMElkC1/FARPhE9hDJnIjlbq6AAKIq3jKFMqdwF9tAAgggAACKCyq99AOuBcWAN4+cFdGB9wJCwABBBBAAIUHgAACeA34IDy2u8TfFw4AAQQQQGnAKopbOe99+OoAWwc+NW8CP4zm4ReEj7OKXwBkBo4/7LTAF6O5HTN68dTHraf690J7Un6WrZ/sSZlTHLrEAAIIIIAAAgjgfw689rjVdGM+QTVjRi/G49byQLyTAAgggKzA3YdD+Wn/wlNtPxx8iuttp4tDtwuAAEoGbv3PRCwxgADuhAeAAK4d7wRm5Y2nZfnsAAAAAElFTkSuQmCC
"""#

  package static let `pictures/yana.png` =
#"""
iVBORw0KGgoAAAANSUhEUgAAANUAAAFABAMAAADZsiT0AAAAJ1BMVEXc4+qcj4L///9fVk6Mx+j/9sxabJPJo2tUYHpblGjwuTo5Rlr////Fnyv3AAADDUlEQVR42u3ZPW/bMBAGYKGdtNXwktFwDaPo5FQdOrdyhu7+AwFxe9Ghc5MlY5AhANcik35l9S2RoiVKIi+2895g4CT6HpOmRFoOguF4b9FmF7gJWLBgwYIFCxYsWLBgwYIFCxYsWLBgwYIFCxYsWLAcWetj8VHLV2njd9qxL8fevILlzYo7sd6kLz+UQ99LS234NTuzMRSABesMrdjCip1YP5M0BqysyYvJ2o+zkqJQn5V/nMRgHQ6jrKJO0msVTV461n6klSRax7pW+XGSjnUYZ30u6yQ9VtXk36bTLTbrAGvutbyHBesErBjWfGvPaMWc1p7RijmtsXsbzj0bLFiwYMGCdeKWZZieH64dPav0YmFuwIIFCxYsWLBgwYIF69Qs4rSIOC0SjJbaNd9Wu2verRbm32qwHqszjyZaNda16La29Gk70aow3UrPKJaiTbVKTLXyE5rV0iZbBda2bshs1QM+3SLNKimDVWEzLFKsijJZJTbHEi2rpoxWgc2x0gqV1VBmK8dmWVRZLeqIlWHzLFFYbeqYlWIjLCmfO1hhkY1FIywpDVhukZ1F1paUJiyzbmytW0srLCypW1u9Wz4tQfbW1s4qKX0Q11saYwkbK3RjkY0lHVmC0aJhK3RmCUaLBi3pzhIDVujQogFLtmK2JRgtulRLWFvPsy2ytlRskiWsLenXCt1aZHnf0AZxmiXs7vMMljKMvv/zbVtPjJbktJ4YrcfAbyjT/oKs8EItBQsYsYARC/gwv9fXQx3cVsBnPfJZvu+GjeV/BsI6F6tYqRtr7S1WsBxYizwaa+EtPsCCBcu7xRGwYMH64yx+daxIC3fWb63yjrVfsGDZWkWkU3TqJbuMoutR9w02S9sP9KZXVfbXlMJise7y30ufHizSq/IHW20pKSznVtSNuppF+q0qfm9KB9ZKfF+wYPm1sH7BemPWMsr3olGT5tvTI+l162CWZnvRZbR4bStii90JjGFf8QFLSWHBOgsLzw9hwXJkvfJaie8LFixYsGDBwroMCxYsWLBgvfW18j89WwRr6yhd1AAAAABJRU5ErkJggg==
"""#

  package static let `scenarios/3g.json` =
#"""
{
  "name": "3g",
  "about": "A phone on UMTS: round trips of 100 to 500 ms and about 1.5 Mbit a second, at which a stream of events ends after its first event. One request in twenty first waits until the radio has a channel.",
  "rules": [
    {
      "name": "round trips",
      "effect": {"latency": {"percentiles": {"0": "90ms", "50": "180ms", "90": "420ms", "99": "1.2s", "100": "4s"}}}
    },
    {
      "name": "channel set-up",
      "when": {"chance": "1/20"},
      "effect": {"latency": {"uniform": ["1s", "2.5s"]}}
    },
    {
      "name": "1.5 Mbit/s",
      "effect": {"pace": {"bytesPerSecond": 187500, "chunk": 1460}}
    }
  ]
}

"""#

  package static let `scenarios/basement.json` =
#"""
{
  "name": "basement",
  "about": "A technician walks down to the meters and up again, once every two minutes: the signal is good on the stairs, poor in the corridor, and gone at the meters. Changes that are recorded there have to wait until the way back.",
  "rules": [
    {
      "name": "stairs",
      "when": {"until": "40s", "every": "2m"},
      "effect": {"latency": {"lognormal": {"median": "80ms", "p99": "400ms"}}}
    },
    {
      "name": "corridor",
      "when": {"from": "40s", "until": "1m", "every": "2m"},
      "effect": {"latency": {"lognormal": {"median": "900ms", "p99": "6s"}}}
    },
    {
      "name": "corridor, thin",
      "when": {"from": "40s", "until": "1m", "every": "2m"},
      "effect": {"pace": {"bytesPerSecond": 6000, "chunk": 256}}
    },
    {
      "name": "corridor, lost on the way there",
      "when": {"chance": "1/6", "from": "40s", "until": "1m", "every": "2m"},
      "effect": {"fault": "reset-bare"}
    },
    {
      "name": "corridor, lost on the way back",
      "match": {"changes": true},
      "when": {"chance": "1/6", "from": "40s", "until": "1m", "every": "2m"},
      "phase": "after",
      "effect": {"fault": "reset"}
    },
    {
      "name": "meters",
      "when": {"from": "1m", "until": "100s", "every": "2m"},
      "effect": {"offline": true}
    },
    {
      "name": "way back",
      "when": {"from": "100s", "every": "2m"},
      "effect": {"latency": {"lognormal": {"median": "500ms", "p99": "3s"}}}
    }
  ]
}

"""#

  package static let `scenarios/calm.json` =
#"""
{
  "name": "calm",
  "about": "No faults and no delays. Start with it, and then test your client with the others.",
  "rules": []
}

"""#

  package static let `scenarios/cold-start.json` =
#"""
{
  "name": "cold-start",
  "about": "An idle backend sleeps after half a minute without requests, and takes five seconds to wake. Requests that arrive meanwhile wait with the first.",
  "rules": [
    {
      "name": "asleep",
      "effect": {"coldStart": {"idle": "30s", "delay": "5s"}}
    },
    {
      "name": "still warming up",
      "when": {"first": 2},
      "effect": {"latency": {"uniform": ["300ms", "900ms"]}}
    }
  ]
}

"""#

  package static let `scenarios/edge.json` =
#"""
{
  "name": "edge",
  "about": "A phone on EDGE: round trips of 300 to 1,000 ms, some of them far longer, and about 150 kbit a second, at which a stream of events ends after its first event. A client that requests little data and waits long enough still works.",
  "rules": [
    {
      "name": "round trips",
      "effect": {"latency": {"percentiles": {"0": "300ms", "50": "550ms", "90": "1s", "99": "3s", "100": "8s"}}}
    },
    {
      "name": "150 kbit/s",
      "effect": {"pace": {"bytesPerSecond": 18750, "chunk": 512}}
    },
    {
      "name": "lost carrier",
      "when": {"chance": "1/50"},
      "effect": {"fault": "stall", "at": "1/2", "for": "30s", "then": "reset"}
    }
  ]
}

"""#

  package static let `scenarios/elevator.json` =
#"""
{
  "name": "elevator",
  "about": "A phone in an elevator: it is offline for fifteen seconds of every minute. Shortly before and after, responses stop until the signal is back.",
  "rules": [
    {
      "name": "ride",
      "when": {"from": "20s", "until": "35s", "every": "1m"},
      "effect": {"offline": true}
    },
    {
      "name": "doors closing",
      "when": {"chance": "1/2", "from": "17s", "until": "20s", "every": "1m"},
      "effect": {"fault": "stall", "at": "1/3", "for": "15s", "then": "close"}
    },
    {
      "name": "doors opening",
      "when": {"from": "35s", "until": "38s", "every": "1m"},
      "effect": {"latency": {"lognormal": {"median": "1.2s", "p99": "6s"}}}
    },
    {
      "name": "lobby",
      "effect": {"latency": {"lognormal": {"median": "60ms", "p99": "300ms"}}}
    }
  ]
}

"""#

  package static let `scenarios/hotel-wifi.json` =
#"""
{
  "name": "hotel-wifi",
  "about": "The first responses are the hotel's log-in page with status 200. After that a hundred guests share one line: it is slow in the evening, and connections sometimes drop.",
  "rules": [
    {
      "name": "log-in page",
      "when": {"first": 2},
      "effect": {"fault": "captive-portal"}
    },
    {
      "name": "log-in page again",
      "when": {"chance": "1/60"},
      "effect": {"fault": "captive-portal"}
    },
    {
      "name": "shared line",
      "effect": {"latency": {"percentiles": {"50": "90ms", "90": "600ms", "99": "3s", "100": "8s"}}}
    },
    {
      "name": "evening",
      "when": {"from": "30s", "until": "50s", "every": "1m"},
      "effect": {"pace": {"bytesPerSecond": 24000, "chunk": 1024}}
    },
    {
      "name": "dropped",
      "when": {"chance": "1/40"},
      "effect": {"fault": "stall", "at": "1/2", "for": "10s", "then": "reset"}
    }
  ]
}

"""#

  package static let `scenarios/lost-ack.json` =
#"""
{
  "name": "lost-ack",
  "about": "A third of all writes, drawn by the seed, is applied, but the response is lost: the connection is reset after the status line. A client that assumes failure writes twice; a client that assumes success never learns the outcome.",
  "rules": [
    {
      "name": "lost reply",
      "match": {"changes": true},
      "when": {"chance": "1/3"},
      "phase": "after",
      "effect": {"fault": "reset"}
    }
  ]
}

"""#

  package static let `scenarios/mayhem.json` =
#"""
{
  "name": "mayhem",
  "about": "Every fault, each so rare that a correct client still completes its work. A client that passes with many seeds has met every fault that this program has.",
  "rules": [
    {
      "name": "long tail",
      "effect": {"latency": {"percentiles": {"50": "40ms", "90": "250ms", "99": "1.5s", "100": "4s"}}}
    },
    {
      "name": "slow commit",
      "match": {"changes": true},
      "when": {"chance": "1/10"},
      "phase": "after",
      "effect": {"latency": {"uniform": ["100ms", "800ms"]}}
    },
    {
      "name": "asleep",
      "effect": {"coldStart": {"idle": "1m", "delay": "2s"}}
    },
    {
      "name": "burst",
      "effect": {"rateLimit": {"limit": 60, "window": "10s"}}
    },
    {
      "name": "outage",
      "when": {"from": "1m", "until": "65s", "every": "90s"},
      "effect": {"offline": true}
    },
    {
      "name": "colleagues",
      "match": {"api": "booking"},
      "effect": {"rivals": {"every": "5s", "books": 1}}
    },
    {
      "name": "drip",
      "when": {"chance": "1/15"},
      "effect": {"pace": {"bytesPerSecond": 4000, "chunk": 128}}
    },
    {
      "name": "overloaded",
      "when": {"chance": "1/20"},
      "effect": {"status": 503, "retryAfter": "1s"}
    },
    {
      "name": "overloaded, by the clock",
      "when": {"chance": "1/60"},
      "effect": {"status": 503, "retryAfter": "2s", "retryAfterDate": true}
    },
    {
      "name": "bad gateway",
      "match": {"changes": true},
      "when": {"chance": "1/40"},
      "phase": "after",
      "effect": {"status": 502}
    },
    {
      "name": "lost request",
      "when": {"chance": "1/40"},
      "effect": {"fault": "reset"}
    },
    {
      "name": "lost reply",
      "match": {"changes": true},
      "when": {"chance": "1/12"},
      "phase": "after",
      "effect": {"fault": "reset"}
    },
    {
      "name": "dead connection",
      "when": {"chance": "1/60"},
      "effect": {"fault": "reset-bare"}
    },
    {
      "name": "closed early",
      "match": {"changes": true},
      "when": {"chance": "1/40"},
      "phase": "after",
      "effect": {"fault": "empty"}
    },
    {
      "name": "hung",
      "when": {"chance": "1/80"},
      "effect": {"fault": "hang", "for": "20s", "then": "close"}
    },
    {
      "name": "stalled",
      "when": {"chance": "1/60"},
      "effect": {"fault": "stall", "at": "1/2", "for": "5s"}
    },
    {
      "name": "cut off",
      "when": {"chance": "1/50"},
      "effect": {"fault": "truncate", "at": "3/4"}
    },
    {
      "name": "bad chunk",
      "when": {"chance": "1/80"},
      "effect": {"fault": "bad-chunk"}
    },
    {
      "name": "no HTTP",
      "when": {"chance": "1/100"},
      "effect": {"fault": "garbage"}
    },
    {
      "name": "broken JSON",
      "when": {"chance": "1/60"},
      "effect": {"fault": "corrupt"}
    },
    {
      "name": "another schema",
      "when": {"chance": "1/60"},
      "phase": "after",
      "effect": {"fault": "drift"}
    },
    {
      "name": "called HTML",
      "when": {"chance": "1/80"},
      "effect": {"fault": "wrong-type"}
    },
    {
      "name": "log-in page",
      "when": {"chance": "1/80"},
      "effect": {"fault": "captive-portal"}
    },
    {
      "name": "lagging replica",
      "match": {"method": ["GET"]},
      "when": {"chance": "1/20"},
      "effect": {"fault": "stale", "versions": 1}
    }
  ]
}

"""#

  package static let `scenarios/original.json` =
#"""
{
  "name": "original",
  "about": "The real backends as they were: the devices took one to three seconds and failed one request in ten before applying it. The activities ran on a free dyno, which went to sleep after half an hour and took seconds to start.",
  "rules": [
    {
      "name": "slow devices",
      "match": {"api": "devices"},
      "effect": {"latency": {"uniform": ["1s", "3s"]}}
    },
    {
      "name": "one in ten fails",
      "match": {"api": "devices"},
      "when": {"chance": "1/10"},
      "effect": {"status": 500}
    },
    {
      "name": "free dyno",
      "match": {"api": "activities"},
      "effect": {"coldStart": {"idle": "30m", "delay": "8s"}}
    }
  ]
}

"""#

  package static let `scenarios/overload.json` =
#"""
{
  "name": "overload",
  "about": "The backend has more work than it can do: it responds late, and refuses every other request with 503 and Retry-After. During ten seconds of every minute it refuses all but a few.",
  "rules": [
    {
      "name": "queue",
      "effect": {"latency": {"lognormal": {"median": "700ms", "p99": "6s"}}}
    },
    {
      "name": "peak",
      "when": {"chance": "9/10", "from": "30s", "until": "40s", "every": "1m"},
      "effect": {"status": 503, "retryAfter": "5s"}
    },
    {
      "name": "shed",
      "when": {"chance": "1/2"},
      "effect": {"status": 503, "retryAfter": "2s"}
    }
  ]
}

"""#

  package static let `scenarios/rate-limited.json` =
#"""
{
  "name": "rate-limited",
  "about": "Twenty requests in ten seconds, then 429 until the window ends; every response says how many requests are left. A client that reads the fields never sees the 429, and no seed changes it.",
  "rules": [
    {
      "name": "burst",
      "effect": {"rateLimit": {"limit": 20, "window": "10s"}}
    }
  ]
}

"""#

  package static let `scenarios/rush-hour.json` =
#"""
{
  "name": "rush-hour",
  "about": "Other clients book rooms at the same time: every two seconds one books a spot or cancels a booking. The rooms that a client shows are soon outdated, and responses are slow.",
  "rules": [
    {
      "name": "colleagues",
      "match": {"api": "booking"},
      "effect": {"rivals": {"every": "2s", "books": 1}}
    },
    {
      "name": "busy",
      "match": {"api": "booking"},
      "effect": {"latency": {"lognormal": {"median": "250ms", "p99": "2s"}}}
    }
  ]
}

"""#

  package static let `scenarios/schema-drift.json` =
#"""
{
  "name": "schema-drift",
  "about": "The backend was changed without notice: in one response in four a field is missing, renamed or of another type, although the request was carried out. Some JSON is labelled as HTML, or is cut off.",
  "rules": [
    {
      "name": "another schema",
      "when": {"chance": "1/4"},
      "phase": "after",
      "effect": {"fault": "drift"}
    },
    {
      "name": "called HTML",
      "when": {"chance": "1/20"},
      "effect": {"fault": "wrong-type"}
    },
    {
      "name": "cut",
      "when": {"chance": "1/30"},
      "effect": {"fault": "corrupt"}
    }
  ]
}

"""#

  package static let `scenarios/train.json` =
#"""
{
  "name": "train",
  "about": "A phone on a train: the radio cell changes every few seconds, and every minute and a half there is a tunnel. Between them the line is fair, but some delays are long.",
  "rules": [
    {
      "name": "on the line",
      "effect": {"latency": {"percentiles": {"50": "120ms", "90": "450ms", "99": "2.5s", "100": "6s"}}}
    },
    {
      "name": "handover",
      "when": {"from": "12s", "until": "14s", "every": "15s"},
      "effect": {"latency": {"uniform": ["500ms", "2s"]}}
    },
    {
      "name": "handover cuts",
      "when": {"chance": "1/4", "from": "12s", "until": "14s", "every": "15s"},
      "effect": {"fault": "truncate", "at": "2/3"}
    },
    {
      "name": "tunnel mouth",
      "match": {"changes": true},
      "when": {"chance": "1/2", "from": "55s", "until": "1m", "every": "90s"},
      "phase": "after",
      "effect": {"fault": "hang", "for": "20s", "then": "reset"}
    },
    {
      "name": "tunnel",
      "when": {"from": "1m", "until": "72s", "every": "90s"},
      "effect": {"offline": true}
    }
  ]
}

"""#

  package static let `scenarios/weather-limit.json` =
#"""
{
  "name": "weather-limit",
  "about": "The weather service allows one request a minute: a second report, or a second search, within the same minute is refused with 429. A client that caches the responses never sees it, and no seed changes it.",
  "rules": [
    {
      "name": "one report a minute",
      "match": {"path": "/api/location/2165352"},
      "effect": {"rateLimit": {"limit": 1, "window": "1m"}}
    },
    {
      "name": "one search a minute",
      "match": {"path": "/api/location/search"},
      "effect": {"rateLimit": {"limit": 1, "window": "1m"}}
    }
  ]
}

"""#

  package static let `users.json` =
#"""
[
  {
    "id": 1,
    "name": "Leanne Graham",
    "username": "Bret",
    "email": "Sincere@april.biz",
    "address": {
      "street": "Kulas Light",
      "suite": "Apt. 556",
      "city": "Gwenborough",
      "zipcode": "92998-3874",
      "geo": {
        "lat": "-37.3159",
        "lng": "81.1496"
      }
    },
    "phone": "1-770-736-8031 x56442",
    "website": "hildegard.org",
    "company": {
      "name": "Romaguera-Crona",
      "catchPhrase": "Answers that hold all winter",
      "bs": "mend quiet supply lines"
    }
  },
  {
    "id": 2,
    "name": "Ervin Howell",
    "username": "Antonette",
    "email": "Shanna@melissa.tv",
    "address": {
      "street": "Victor Plains",
      "suite": "Suite 879",
      "city": "Wisokyburgh",
      "zipcode": "90566-7771",
      "geo": {
        "lat": "-43.9509",
        "lng": "-34.4618"
      }
    },
    "phone": "010-692-6593 x09125",
    "website": "anastasia.net",
    "company": {
      "name": "Deckow-Crist",
      "catchPhrase": "Lighter parcels, longer roads",
      "bs": "weigh honest freight"
    }
  },
  {
    "id": 3,
    "name": "Clementine Bauch",
    "username": "Samantha",
    "email": "Nathan@yesenia.net",
    "address": {
      "street": "Douglas Extension",
      "suite": "Suite 847",
      "city": "McKenziehaven",
      "zipcode": "59590-4157",
      "geo": {
        "lat": "-68.6102",
        "lng": "-47.0653"
      }
    },
    "phone": "1-463-123-4447",
    "website": "ramiro.info",
    "company": {
      "name": "Romaguera-Jacobson",
      "catchPhrase": "Glass that remembers the light",
      "bs": "polish shared horizons"
    }
  },
  {
    "id": 4,
    "name": "Patricia Lebsack",
    "username": "Karianne",
    "email": "Julianne.OConner@kory.org",
    "address": {
      "street": "Hoeger Mall",
      "suite": "Apt. 692",
      "city": "South Elvis",
      "zipcode": "53919-4257",
      "geo": {
        "lat": "29.4572",
        "lng": "-164.2990"
      }
    },
    "phone": "493-170-9623 x156",
    "website": "kale.biz",
    "company": {
      "name": "Robel-Corkery",
      "catchPhrase": "Bread before breakfast, every day",
      "bs": "bake dependable mornings"
    }
  },
  {
    "id": 5,
    "name": "Chelsey Dietrich",
    "username": "Kamren",
    "email": "Lucio_Hettinger@annie.ca",
    "address": {
      "street": "Skiles Walks",
      "suite": "Suite 351",
      "city": "Roscoeview",
      "zipcode": "33263",
      "geo": {
        "lat": "-31.8129",
        "lng": "62.5342"
      }
    },
    "phone": "(254)954-1289",
    "website": "demarco.info",
    "company": {
      "name": "Keebler LLC",
      "catchPhrase": "Tools your neighbour will borrow",
      "bs": "sharpen common ground"
    }
  },
  {
    "id": 6,
    "name": "Mrs. Dennis Schulist",
    "username": "Leopoldo_Corkery",
    "email": "Karley_Dach@jasper.info",
    "address": {
      "street": "Norberto Crossing",
      "suite": "Apt. 950",
      "city": "South Christy",
      "zipcode": "23505-1337",
      "geo": {
        "lat": "-71.4197",
        "lng": "71.7478"
      }
    },
    "phone": "1-477-935-8478 x6430",
    "website": "ola.org",
    "company": {
      "name": "Considine-Lockman",
      "catchPhrase": "Maps for people on foot",
      "bs": "chart unhurried routes"
    }
  },
  {
    "id": 7,
    "name": "Kurtis Weissnat",
    "username": "Elwyn.Skiles",
    "email": "Telly.Hoeger@billy.biz",
    "address": {
      "street": "Rex Trail",
      "suite": "Suite 280",
      "city": "Howemouth",
      "zipcode": "58804-1099",
      "geo": {
        "lat": "24.8918",
        "lng": "21.8984"
      }
    },
    "phone": "210.067.6132",
    "website": "elvis.io",
    "company": {
      "name": "Johns Group",
      "catchPhrase": "A steadier hand on the valve",
      "bs": "calm restless pipelines"
    }
  },
  {
    "id": 8,
    "name": "Nicholas Runolfsdottir V",
    "username": "Maxime_Nienow",
    "email": "Sherwood@rosamond.me",
    "address": {
      "street": "Ellsworth Summit",
      "suite": "Suite 729",
      "city": "Aliyaview",
      "zipcode": "45169",
      "geo": {
        "lat": "-14.3990",
        "lng": "-120.7677"
      }
    },
    "phone": "586.493.6943 x140",
    "website": "jacynthe.com",
    "company": {
      "name": "Abernathy Group",
      "catchPhrase": "Paper that keeps its promises",
      "bs": "bind careful records"
    }
  },
  {
    "id": 9,
    "name": "Glenna Reichert",
    "username": "Delphine",
    "email": "Chaim_McDermott@dana.io",
    "address": {
      "street": "Dayna Park",
      "suite": "Suite 449",
      "city": "Bartholomebury",
      "zipcode": "76495-3109",
      "geo": {
        "lat": "24.6463",
        "lng": "-168.8889"
      }
    },
    "phone": "(775)976-6794 x41206",
    "website": "conrad.com",
    "company": {
      "name": "Yost and Sons",
      "catchPhrase": "Seeds for the second spring",
      "bs": "grow patient margins"
    }
  },
  {
    "id": 10,
    "name": "Clementina DuBuque",
    "username": "Moriah.Stanton",
    "email": "Rey.Padberg@karina.biz",
    "address": {
      "street": "Kattie Turnpike",
      "suite": "Suite 198",
      "city": "Lebsackbury",
      "zipcode": "31428-2261",
      "geo": {
        "lat": "-38.2386",
        "lng": "57.2232"
      }
    },
    "phone": "024-648-3804",
    "website": "ambrose.net",
    "company": {
      "name": "Hoeger LLC",
      "catchPhrase": "The last ferry always waits",
      "bs": "carry late connections"
    }
  }
]

"""#
}
