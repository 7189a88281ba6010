package protocol

// Intake is how many records a session polls at most.
type Intake struct{ most, now int }

// NewIntake begins with the most there may be.
func NewIntake(most int) *Intake { return &Intake{most, most} }

// Records is the most for the next poll.
func (i *Intake) Records() int { return i.now }

// split makes the next polls smaller after a refusal in a batch of so many documents. Innocent records fail with the
// refused one.
func (i *Intake) split(size int) { i.now = max(1, min(i.now, size)/8) }

// Slow halves the next polls after a batch of so many documents whose transaction was open for too long.
func (i *Intake) Slow(size int) { i.now = max(1, min(i.now, size)/2) }

// Grow makes the next polls larger again after a commit.
func (i *Intake) Grow() { i.now = min(2*i.now, i.most) }
