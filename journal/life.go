package journal

// NextIndex is the index of the run that goes on from l, or 0 where that of l
// is not known.
func (l *Launch) NextIndex() int {
	if l.Predecessor != "" && l.Index == 0 {
		return 0
	}
	return l.Index + 1
}
