(async () => {
  const load = (name) => import(new URL('page/' + name, document.baseURI));
  const [format, { diff, words }, { parser }, { nice }, { windowOf, membersOf, pageOf }, { pairOf }, labels] = await Promise.all(
    ['format.js', 'diff.js', 'stream.js', 'plot.js', 'model.js', 'hash.js', 'labels.js'].map(load));
  const out = [];
  const same = (what, got, want) => {
    const [a, b] = [got, want].map((v) => JSON.stringify(v)?.replaceAll('\u202f', ' '));
    out.push(a === b ? what : `failed: ${what}: ${a}, want ${b}`);
  };

  same('counts', [0, 1234, 1e9, null, NaN].map(format.count), ['0', '1,234', '1,000,000,000', '–', '–']);
  same('rates', [0, 0.25, 9.96, 1234.4].map(format.rate), ['0', '0.3', '10.0', '1,234']);
  same('shares', [0, 0.031, 0.03, 0.5, 1, null].map(format.percent), ['0 %', '3.1 %', '3 %', '50 %', '100 %', '–']);
  same('similarities are rounded down', [0.8612, 0.79999, 0.29, 1, undefined].map(format.similarity), ['86 %', '79 %', '29 %', '100 %', '–']);
  same('spans', [0, 0.0123, 2, 2.34, 59.6, 61, 3600, 11520, 86400, 172800, 200000, null].map(format.span),
    ['0 s', '12 ms', '2 s', '2.3 s', '1 min', '1 min 1 s', '1 h', '3 h 12 min', '24 h', '2 d', '2 d 7 h', '–']);
  same('latencies', [0.083, 86399, 86400, null].map(format.latency), ['83 ms', '23 h 59 min', 'a day or more', '–']);
  same('sizes', [0, 1023, 1024, 1.5 * 2 ** 30, 2 ** 40].map(format.bytes), ['0 B', '1023 B', '1 KiB', '1.5 GiB', '1 TiB']);
  same('axes', [1, 950, 1500, 2e6].map(format.short), ['1', '950', '1.5k', '2M']);
  same('round tops', [0, 0.9, 1.2, 7, 99].map(nice), [[1, 2], [1, 2], [2, 2], [8, 4], [100, 2]]);

  const kinds = (a, b) => diff(a, b).right.map((p) => p.kind[0] + p.text).join('/');
  same('equal texts', kinds('a b c', 'a b c'), 'sa b c');
  same('a word is added', kinds('a b c', 'a b x c'), 'sa b/c x/s c');
  same('case and punctuation', [kinds('a b', 'a B!'), diff('a b', 'a B!').soft], ['sa/s B!', 1]);
  same('what does not count in the normal form', ['— STOP, ﬁne — STRASSE', 'soft\u00adhyphen x', 'Cafe\u0301 (1)'].map((a, i) => diff(a, ['stop fine straße!', 'softhyphen x', 'café 1'][i]).changed), [0, 0, 0]);
  same('what counts', [diff('well-kept', 'wellkept').changed, diff('!!!', '???').changed, diff('a b', 'a, - b').changed], [2, 2, 0]);
  same('nothing in common', [diff('a b', 'c d').changed, diff('', 'c').changed, diff('', '').changed], [4, 1, 0]);
  same('scripts without spaces', words('東京は晴れ。 ok').length, 7);
  same('places', ((d) => [d.places, d.left.map((p) => p.at), d.right.map((p) => p.text)])(diff('a b c d', 'a x c y z')), [2, [0, 0, 1, 1], ['a', ' x', ' c', ' y z']]);
  const long = Array.from({ length: 20000 }, (_, i) => 'word' + (i * 7919) % 5003).join(' ');
  const turned = diff(long, long.split(' ').reverse().join(' '));
  same('long texts are cut', turned.cut, true);
  let odd = 0;
  let seed = 1;
  const next = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let i = 0; i < 2000; i++) {
    const text = () => Array.from({ length: next(9) }, () => 'abcAB'[next(5)] + [' ', '. ', '\n', ''][next(4)]).join('');
    const [a, b] = [text(), text()];
    const d = diff(a, b);
    const kept = (side) => side.filter((p) => p.kind !== 'changed').map((p) => p.text.toLowerCase().replace(/[^a-z]/g, '')).join('');
    const equal = (side) => JSON.stringify(side.filter((p) => p.kind === 'same').map((p) => words(p.text).map((w) => w.trim())));
    if (equal(d.left) !== equal(d.right)) odd++;
    if (d.left.map((p) => p.text).join('') !== a || d.right.map((p) => p.text).join('') !== b || kept(d.left) !== kept(d.right)) odd++;
  }
  same('the pieces of random texts are the texts, and what is the same is in pairs', odd, 0);

  const copied = (topic) => ({ document: { topic, partition: '1', offset: '7' }, match: { topic, partition: '0', offset: '9223372036854775807' } });
  same('the pair of an address', ['a.b-c_D/1/7,a.b-c_D/0/9223372036854775807', 'a/1/7', 'a/1/7,../0/-1', 'a b/1/7,a/0/1', ''].map(pairOf), [copied('a.b-c_D'), null, null, null, null]);
  same('its name', format.pair(copied('a')), 'a/1/7,a/0/9223372036854775807');
  labels.use('a group of a test');
  labels.label(copied('a'), true);
  const odds = { document: { topic: 'b', partition: 0, offset: 1, id: 'tab\t\\ line\n' }, match: { topic: 'b', partition: 0, offset: 2, similarity: 0.9 } };
  labels.label(odds, false);
  same('labels', [labels.of(copied('a')), labels.of(odds), labels.of(copied('c'))], [true, false, null]);
  same('a topic has a file', labels.files(), [{ topic: 'a', text: 'a/1/7\ta/0/9223372036854775807\t\ta/1\t7\ta/0\t9223372036854775807\n', size: 1, copies: 1 },
    { topic: 'b', text: 'tab\\t\\\\ line\\n\ttab\\t\\\\ line\\n\t\tb/0\t1\tb/0\t1\n' + 'b/0/2\tb/0/2\t\tb/0\t2\tb/0\t2\n', size: 1, copies: 0 }]);
  const across = { document: copied('a').document, match: odds.match };
  labels.label(across, true);
  same('a pair of two topics is in none', labels.files().at(-1).topic, '');
  labels.label(across, undefined);
  labels.label(odds, undefined);
  labels.use('another');
  same('labels are of a group', labels.size(), 0);
  labels.use('a group of a test');
  same('labels stay', [labels.size(), labels.of(copied('a'))], [1, true]);
  localStorage.setItem('unecho.labels.a group of a test', JSON.stringify({ 'c/1/7,c/0/9223372036854775807': { yes: true, lines: '' } }));
  labels.label(odds, false);
  same('what another tab has labelled stays', [labels.of(copied('c')), labels.of(odds)], [true, false]);
  labels.clear();
  same('and go', labels.size(), 0);

  const events = [];
  const take = parser((e) => events.push(e));
  const stream = ': alive\n\nid: run-1\nevent: copy\ndata: {"a":\ndata: 1}\n\r\nevent: missed\r\ndata: 2\r\n\r\nid: 9\n\n';
  for (const letter of stream) take(letter);
  same('events, letter by letter', events, [{ type: 'copy', id: 'run-1', data: '{"a":\n1}' }, { type: 'missed', data: '2' }]);

  const window = { documents: 1000, count_bound: 0, bytes: 1e6, bytes_bound: 1e7, age_s: 10, age_bound_s: 86400, bites: '' };
  same('which bound will be full first', windowOf(window, 1).kept, { key: 'duplicates.remember.memory', seconds: 10000 });
  same('all of the age fits', windowOf(window, 0.1).kept, { key: 'duplicates.remember.age', seconds: 86400 });
  same('no rate, no forecast', windowOf(window, null).kept, null);
  same('the bound that decides', [windowOf({ ...window, bites: 'memory' }, 1).bites.key, windowOf(window, 1).bites], ['duplicates.remember.memory', null]);
  const sessions = [{ member: 'm-1', client_id: 'c', host: '/h', partitions: [1] }, { member: 'm-1', client_id: 'c', host: '/h', partitions: [2, 3] }, { client_id: 'm-1', host: 'x', partitions: [] }];
  const lead = (listen, host, cert = '') => pageOf({ settings: [{ key: 'http.listen', value: listen }, { key: 'http.tls.cert_file', value: cert }] }, host);
  same('the pages of members', [lead('0.0.0.0:9464', '10.0.4.12'), lead(':80', '::1', 'x.pem'), lead('[::]:9464', 'fd00::7'), lead('127.0.0.1:9464', '10.0.0.1'), lead('localhost:1', 'h'), lead('', 'h'), lead(':1', 'h/@x')],
    ['http://10.0.4.12:9464/', 'https://[::1]:80/', 'http://[fd00::7]:9464/', null, null, null, null]);
  same('sessions of a process are one member, and what calls itself so is another', membersOf({ member: 'm-1', snapshots: {}, members: { sessions } }).map((m) => [m.name, m.partitions, m.mine, m.ours]), [['m-1', 3, true, true], ['m-1', 0, false, false]]);
  return out;
})()
