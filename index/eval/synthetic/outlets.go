package synthetic

const outlets = `The Morning Ledger
Harbour Gazette
Northern Courier
Daily Beacon
The Evening Chronicle
Valley Observer
Capital Dispatch
The Weekly Lantern
Coast Tribune
Union Herald
The Examiner
Riverside Post
Metro Bulletin
The Country Mirror
Eastern Telegraph
Lakeland Star
The Independent Journal
Hill and Dale News
Wire Service Seven
City Sentinel
The Plain Reporter
Southern Mercury
Newsroom Forty
The Public Record
Border Times
Island Argus
The Open Page
Market Square Daily
Western Monitor
Signal Press
The Quarterly Echo
Railway Advertiser
Midland Standard
The Night Edition
Bridge Street Review
Frontier Post
The Common Reader
Garden City News
Summit Express
The Town Crier`
