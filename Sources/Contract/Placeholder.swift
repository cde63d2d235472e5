package enum ContractPlaceholder {}
