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
  "about": "Every third write to a resource is applied, but its response is lost: the connection is reset after the status line. A client that assumes failure writes twice; a client that assumes success never learns the outcome.",
  "rules": [
    {
      "name": "lost reply",
      "match": {"changes": true},
      "when": {"nth": 3},
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
  "about": "Twenty requests in ten seconds, then 429 until the window ends; every response says how many requests are left. A client that reads the fields never sees the 429.",
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
  "about": "The weather service allows one request a minute: a second report, or a second search, within the same minute is refused with 429. A client that caches the responses never sees it.",
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
