package enum HTTP1Placeholder {}
