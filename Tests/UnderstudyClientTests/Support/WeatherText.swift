/// Weather reports for scripts.
enum WeatherText {
  static func report(_ temperature: Double) -> String {
    """
    {"consolidated_weather": [{"id": 4925117003825152, "weather_state_name": "Clear", "the_temp": \(temperature),
      "min_temp": 1, "max_temp": 40.5, "humidity": 68, "wind_speed": 7.4, "air_pressure": 1019.5,
      "applicable_date": "2019-11-29"}],
     "time": "2019-11-29T18:54:00.000000+08:00", "sun_rise": "2019-11-29T06:43:07.118204+08:00",
     "sun_set": "2019-11-29T17:38:41.577122+08:00", "title": "Hong Kong", "latt_long": "22.2,114.1",
     "timezone": "Asia/Hong_Kong"}
    """
  }
}
