module targets

go 1.24
