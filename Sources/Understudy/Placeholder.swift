package enum UnderstudyPlaceholder {}
