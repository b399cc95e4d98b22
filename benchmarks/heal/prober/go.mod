module prober

go 1.24
