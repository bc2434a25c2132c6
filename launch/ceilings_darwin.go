package launch

// CeilingsUsable says why there are none: a *NoCeilings.
func CeilingsUsable(int) error { return &NoCeilings{Reason: CgroupUsable()} }
