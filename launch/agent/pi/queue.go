package pi

// queue follows the messages that wait inside pi, by counting: pi tells the
// texts that wait, not whose they are. What goes in first comes out first.
type queue struct {
	length  int      // as pi told it last
	in, out int      // how many went in and came out since the beginning
	owned   int      // how many of those that went in are known to be ours
	waiting []string // our keys that are inside, in order
}

// told takes the length that pi tells. It returns our keys that came out.
func (q *queue) told(length int) (taken []string) {
	if grown := length - q.length; grown > 0 {
		q.in += grown
	} else {
		q.out -= grown
	}
	q.length = length
	if length == 0 {
		return q.clear()
	}
	for len(q.waiting) > 0 && q.first() <= q.out {
		taken = append(taken, q.waiting[0])
		q.waiting = q.waiting[1:]
	}
	return taken
}

// first is the number of the first of ours that waits.
func (q *queue) first() int { return q.owned - len(q.waiting) + 1 }

// put takes note that pi queued a message of ours. It reports whether that
// one is out already: the response may come after it was delivered.
func (q *queue) put(key string) (out bool) {
	q.owned++
	if q.owned <= q.out || q.length == 0 {
		return true
	}
	q.waiting = append(q.waiting, key)
	return false
}

// unclaimed reports whether more went in than is known to be ours.
func (q *queue) unclaimed() bool { return q.in > q.owned }

// clear empties our side. It returns our keys that were inside.
func (q *queue) clear() []string {
	keys := q.waiting
	q.waiting = nil
	return keys
}
