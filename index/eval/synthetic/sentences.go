package synthetic

// The sentences of an article, one per line. The text in braces is chosen anew each time, except for the cast, which an
// article keeps: {person} and {other} with their {role}, the body {org} and the town {place}.

const openings = `{person}, {a} {adj} {role} of {org}, {said} on {day} that the {thing} near {place} would {verb} the {thing}.
{org} will {verb} its {adj} {thing} by {month}, the {role} {person} {said} in {place} yesterday.
{a} {adj} {thing} in {place} has {adv} divided {roles}, {roles} and {roles}, according to {org}.
After {num} weeks of {adj} talks, {org} {adv} agreed to {verb} the {thing} that {place} shares with {town}.
Nobody in {place} expected the {adj} {thing} to {verb} {org}, yet that is what {person} {said} on {day}.
The {thing} of {place} may soon {verb} its {adj} {thing}, if {org} and its {role} {person} have their way.
{num} {roles} from {place} {adv} asked {org} this {day} to {verb} the {thing} and the {adj} {thing}.
For the {ordinal} time in {num} years, {org} wants to {verb} {a} {adj} {thing} outside {place}.
When {person} first saw the {thing} of {place}, it was {adj} and {adj}; now {org} hopes to {verb} it.
{org} {adv} rejected plans to {verb} the {thing} in {place}, calling them {adj}, {adj} and {adj}.
Work on the {adj} {thing} at {place} began in {month}, {num} months later than {org} once {said}.
a dispute over {a} {thing} and {num} {things} has reached {org}, where {person} is {role}.
{place} woke on {day} to {a} {adj} {thing}, which the {role} {person} {adv} {said} to be {adj}.
Few {roles} remember {a} {thing} as {adj} as the one {org} means to {verb} in {place}.
Money for {a} {adj} {thing} has run out in {place}, and {org} must {verb} {num} {things} before {month}.`

const middles = `"We cannot {verb} every {thing} at once," {said} {person}, whose {adj} {thing} was {adv} noticed.
{other}, {a} {role} from {town}, {adv} {said}: "This {thing} is {adj}, and our {thing} is {adj}."
The {thing} costs {money} a {unit}, {pct} more than {a} {thing} of {adj} size.
Between {month} and {month} the number of {adj} {things} rose from {count} to {count}.
Some {roles} {adv} prefer {a} {adj} {thing}, others would rather {verb} the old one.
Under {a} {adj} plan, {roles} could {verb} up to {num} {things} without {a} {thing}.
{person} {said} the {adj} {thing} would {adv} {verb} both {place} and {town}.
{a} {adj} {thing} was found {adv} {adj} by {num} {roles} during {a} {thing} in {month}.
Its {thing} is {adj}; its {thing}, {adv} {adj}, dates from {year}.
Neither the {thing} nor the {adj} {thing} could {verb} what {other} called "{a} {adj} {thing}".
In {town}, {a} {adj} {thing} {adv} helped {roles} to {verb} their {thing}.
Since {year}, {org} has spent {money} on {things}, most of them {adj}.
Critics of {person} {adv} {said} that {a} {thing} so {adj} can hardly {verb} anyone.
Each {thing} needs {a} {adj} {thing}, {num} {roles} and, {adv}, {a} {thing}.
Earlier {things}, {adj} though they were, did not {verb} {org}.
{other}, who has been {a} {role} for {num} years, was {adv} more {adj}.
Of {count} {roles} who were asked, {pct} would {verb} the {thing} and {pct} the {adj} {thing}.
What {place} lacks, {said} {other}, is {a} {adj} {thing} near its {thing}.
That {thing} was {adv} {adj} until {day}, when {a} {role} tried to {verb} it.
Behind the {adj} {thing} stands a question that {org} must {adv} {verb}: whose {thing} is it?
If the {thing} fails, {num} {things} and {a} {adj} {thing} fail with it.
Old {roles} still tell how {a} {adj} {thing} came to {place} in {month} {year}.
Not far from the {thing}, {num} {adj} {things} wait for {a} {role} to {verb} them.
Letters seen by this newspaper show that {person} {adv} meant to {verb} the {thing} in {month}.
Where once stood {a} {thing}, {roles} now {verb} {adj} {things}.
He or she who would {verb} {a} {thing} must first {verb} {a} {thing}, {other} {adv} {said}.
{town} and {town}, both {adj}, chose to {verb} their own {thing} instead.
Without {a} {thing}, {said} {person}, even {a} {adj} {role} can {adv} {verb} nothing.
Too {adj} for some, too {adj} for others: the {thing} pleases {roles} least of all.
Although {adj}, the {thing} has {adv} begun to {verb} {adj} {roles}.
{num} of the {things} are {adj}, the rest {adv} {adj} or simply {adj}.
By {day} evening {a} {adj} {thing} had replaced the {thing} that {org} set out to {verb}.
Rumours of {a} {adj} {thing} {adv} reached {town}, where {other} works as {a} {role}.
Ask any {role} in {place} about the {thing}, and {a} {adj} {thing} comes up {adv}.
Records from {year} list {count} {things}, {num} {adj} {things} and a single {thing}.
To {verb} or to {verb}: so {adv} did {other} sum up the {adj} {thing}.
Most {roles} get {money} per {unit}, a sum that {other} finds {adj}.
One {adj} {role}, asking to stay unnamed, {said} {org} could {verb} no {thing}.
Meanwhile the {thing}, {adv} {adj}, goes on as before.
Whether {a} {thing} can {verb} {a} {thing} remains {adj}, {other} {said} from {town}.
Only {pct} of {things} there count as {adj}; {year} saw twice as many.
Rain, wind and {a} {adj} {thing} {adv} kept {roles} from reaching the {thing}.
Its neighbours {verb} {things} by the dozen, {adv} and at {adj} prices.
Then came {month}, {a} {thing} too {adj} to {verb}, and {num} angry {roles}.
Some {count} people signed against the {thing}; {person} {adv} {said} they were {adj}.
Compare that with {town}, whose {adj} {thing} {roles} {verb} every {day}.
Such {a} {thing}, {other} {said}, would "{verb} the very {thing} it should {verb}".
Hardly {adj}, this {thing}: {roles} {adv} {verb} one each {month}.
Halfway through, {a} {thing} broke, {num} {roles} left, and {person} had to {verb} the {thing}.
Around {count} {things} {adv} {verb} what {org} terms {adj} {things}.`

const closings = `{org} meets again in {month} to {verb} the {thing}.
"Give us {num} weeks and {a} {thing}," {person} {adv} {said}, "and {place} will {verb} both."
a final {thing} is due on {day}; until then the {adj} {thing} stays {adj}.
Whatever follows, {said} {other}, {place} will {adv} {verb} its {thing}.
{person} declined to {verb} the {adj} {thing} any further.
A report on the {thing} should {verb} {roles} before {month} ends.
For now, the {adj} {thing} of {place} is left to {roles}, {things} and {a} {adj} {thing}.
Next {day}, {num} {roles} will try to {verb} it once more.`

const titles = `{org} to {verb} {adj} {thing}
{place} {roles} {verb} {adj} {thing}
{adj} {thing} divides {place}
Why {place} must {verb} its {thing}
{person}: "{adj} {things} are {adj}"
{num} {things} and {a} {adj} {role}
{thing} of {place} {adv} {adj}
{roles} ask {org} to {verb} {thing}
How {a} {thing} came to {place}
No {thing} for {place}, {org} says`
