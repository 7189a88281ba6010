package synthetic

// A form is the common part of bulletins of one kind: the same sentences every day, with other figures. Two bulletins
// of one form look alike and are no copies.
type form struct{ title, sentences string }

func forms() []form {
	return []form{
		{"Weather for {place}: {weather}", `The weather office expects {weather} over {place} and the surrounding hills for most of {day}, with a gentle breeze from the {compass}.
Temperatures will reach {figure} degrees in the afternoon and fall to {figure} degrees during the night in sheltered valleys.
Motorists on higher ground should allow extra time for their journeys, as {weather} may reduce visibility around {town}.
The outlook for the rest of the week remains unsettled, with {weather} moving in from the {compass} by the weekend.
Pollen levels are described as {level} and the risk of flooding along the river near {town} is thought to be {level}.
Sunrise tomorrow is at {clock} and sunset at {clock}, and the next forecast will be issued at noon.
Small craft are advised to stay in harbour if the wind off {town} should rise above force {numeral}.`},
		{"Markets: {org} {moves}", `Shares on the {place} exchange {moves} on {day}, as investors weighed the latest figures on inflation and employment.
The main index closed {figure} points away from its opening level after a session with {level} turnover.
Among the most active stocks, {org} {moves} by {figure} per cent following a trading statement before the bell.
Government bonds were little changed, with the yield on the ten year note at {figure} per cent in late dealing.
Crude oil for delivery in {month} settled at {figure} dollars a barrel, while gold was quoted at {figure} dollars an ounce.
Traders said attention would now turn to the central bank, which is to announce its decision on {day}.
Volume across the exchange was {level}, with {figure} advancing issues for every ten that declined.`},
		{"{place} {numeral}, {town} {numeral}", `{place} met {town} on {day} in front of a crowd of {count} in the regional league, and it ended {numeral} to {numeral}.
The home side started brightly and took the lead through {surname}, who scored from close range in minute {figure}.
The visitors answered before the interval when {surname} headed in a corner from the left at the far post.
After the break the referee showed a yellow card to {surname} for a late challenge in the centre circle.
The result leaves {place} in position {numeral} of the table, with {figure} points from the games played so far.
The manager of the home team, {surname}, said his players had given everything but that the performance was {adj}.
The next fixture for both sides is on {day}, when tickets will be sold at the gates from {clock}.`},
		{"Traffic: delays around {place}", `Drivers approaching {place} on {day} should expect delays of up to {figure} minutes because of roadworks on the {compass} ring road.
One lane of the motorway remains closed between junctions {numeral} and {figure} while crews replace the damaged barrier.
A diversion has been signposted through {town}, and heavy goods vehicles are asked to follow the {compass} route instead.
Trains between {place} and {town} are running with {level} delays following an earlier signal failure.
Buses on line {figure} will not stop at the market square until the works are completed in {month}.
Police have asked motorists to avoid the area around the {adj} bridge if their journey is not necessary.
Further updates will be published at {clock}, and travellers can call the usual number for information.`},
		{"Power supply in {place}: the week", `Demand for electricity in the region around {place} averaged {figure} gigawatts this week, which operators described as {level}.
Wind and solar together supplied {figure} per cent of consumption, with the strongest output recorded on {day} at {clock}.
Reservoirs in the hills above {town} are filled to {figure} per cent of their capacity, compared with {figure} a year ago.
Unit {numeral} of the power station at {town} is out of service for planned maintenance until the end of {month}.
The average price on the day ahead market was {figure} per megawatt hour, and imports through the {compass} link were {level}.
Households can check the current tariff on the website of {org}, where interruptions are announced in advance.
The operator of the grid said that reserves were sufficient and that no restrictions were planned before {day}.`},
		{"Harbour notes: {place}", `The harbour office of {place} recorded {figure} arrivals and {figure} departures in the week that ended on {day}.
High water on {day} is at {clock} with a height of {figure} decimetres above the chart, and low water follows at {clock}.
Vessels entering from the {compass} should keep clear of the dredger working off {town} until further notice.
Fish landed at the quay was sold at auction for {money}, with prices for cod and haddock described as {level}.
Berth {numeral} remains reserved for the ferry from {town}, which sails at {clock} every day except {day}.
The pilot boat can be reached on channel {figure}, and masters are reminded to report before passing the outer buoy.
The lighthouse on the {compass} mole is out of order and will be repaired by {org} in {month}.`},
	}
}

const weather = `rain showers drizzle sunshine fog sleet snow hail thunder haze mist frost cloud sunlight gales`

const compass = `north south east west north-east north-west south-east south-west`

const levels = `low moderate high exceptional negligible brisk thin heavy light average unusual normal`

const moves = `rose fell gained slipped recovered retreated advanced eased climbed dropped jumped weakened`
