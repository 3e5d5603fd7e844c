// What needs neither a node nor a browser.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');

/** A module of the sources, with what it imports. */
async function load(source) {
  const [{ output }] = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry: path.join(root, 'src', source), formats: ['es'] } },
  });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

const { parseExact, pretty } = await load('core/exact.ts');
const { clock, span, visible } = await load('core/text.ts');
const { byTrouble } = await load('node/health.ts');
const { difference } = await load('parts/difference.ts');
const { bodyOf, queryOf, whereInWords, wordsOf } = await load('screens/filter.ts');

/** Numbers of a seed, so that a failure can be played again. */
function chance(seed) {
  return below => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

function anyValue(draw, depth = 0) {
  switch (draw(depth > 3 ? 5 : 7)) {
    case 0:
      return null;
    case 1:
      return draw(2) === 0;
    case 2:
      return draw(1000) - 500;
    case 3:
      return draw(100_000) / 64;
    case 4:
      return ['', 'a"b\\c', '\n\t', 'Zürich', '{"', '\u0007', '\ud83d\ude80'][draw(7)];
    case 5:
      return Array.from({ length: draw(4) }, () => anyValue(draw, depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: draw(4) }, (_, i) => [`k${i}`, anyValue(draw, depth + 1)]));
  }
}

test('any JSON is read as JSON.parse reads it, and written so that it reads the same', () => {
  for (let seed = 1; seed <= 500; ++seed) {
    const value = anyValue(chance(seed));
    const text = JSON.stringify(value, null, seed % 3);
    assert.deepEqual(parseExact(text), value, `seed ${seed}`);
    assert.deepEqual(JSON.parse(pretty(parseExact(text))), value, `seed ${seed}`);
  }
});

test('numbers keep their digits', () => {
  for (const digits of ['123456789012345678901234567890', '1.10', '1e400', '-0', '0.1', '7'])
    assert.equal(pretty(parseExact(`[${digits}]`)), `[\n  ${digits}\n]`);
});

test('what is no JSON is refused', () => {
  for (const text of [
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '01',
    '1 2',
    '{"a" 1}',
    "'a'",
    '[1',
    'nul',
    '"\n"',
    '{1:2}',
    ',',
    '[}',
  ])
    assert.throws(() => parseExact(text), SyntaxError, text);
});

test('what cannot be seen is shown', () => {
  assert.equal(visible('a\u001b[31mb\u202e'), 'a\\x1b[31mb\\x202e');
  assert.equal(pretty('\u202e'), '"\\u202e"');
});

test('spans and moments are short', () => {
  const spans = [0, 999, 2400, 59_000, 119_999, 720_000, 12_000_000, 187_200_000].map(span);
  assert.deepEqual(spans, ['0 ms', '999 ms', '2.4 s', '59 s', '119 s', '12 min', '3 h 20 min', '2 d 4 h']);
  assert.deepEqual(
    [120_000, 150_000, 59_000].map(ms => span(ms, true)),
    ['2 min', '2 min 30 s', '59 s'],
  );
  assert.match(clock(Date.now()), /^\d\d:\d\d:\d\d$/);
  assert.match(clock('2020-02-03T12:00:00Z'), /^2020-02-0\d \d\d:\d\d:\d\d$/);
  assert.equal(clock(null), '');
});

test('a difference takes the old text to the new one', () => {
  for (let seed = 1; seed <= 200; ++seed) {
    const draw = chance(seed);
    const text = () => Array.from({ length: draw(8) + 1 }, () => 'abc'[draw(3)]).join('\n');
    const [before, after] = [text(), text()];
    const lines = difference(before, after);
    const side = sign => lines.filter(l => l.sign !== sign).map(l => l.text);
    assert.equal(side('+').join('\n'), before, `seed ${seed}`);
    assert.equal(side('-').join('\n'), after, `seed ${seed}`);
  }
});

test('agents keep their places while calls are made, unless one of them gets into trouble', () => {
  const agent = (name, node, succeeded, failed = 0, circuit = 'closed') => ({
    ...{ name, node, circuit, answers: true, lately_succeeded: succeeded, lately_refused: 0, lately_failed: failed },
  });
  const order = agents => byTrouble(agents).map(all => all.map(a => `${a.name}@${a.node}`).join(' '));
  const calm = ['orders@a orders@b', 'stock@a stock@b'];
  assert.deepEqual(
    order([agent('stock', 'b', 9), agent('stock', 'a', 4), agent('orders', 'b', 7), agent('orders', 'a', 1)]),
    calm,
  );
  assert.deepEqual(
    order([agent('orders', 'a', 2), agent('stock', 'a', 8), agent('orders', 'b', 7), agent('stock', 'b', 9)]),
    calm,
  );
  const failing = [
    agent('orders', 'a', 5),
    agent('ship', 'a', 0, 0, 'open'),
    agent('stock', 'a', 5),
    agent('stock', 'b', 199, 1),
  ];
  assert.deepEqual(order(failing), ['ship@a', 'stock@a stock@b', 'orders@a']);
});

test('the filters of the address are those of a query, of a body and of the commands', () => {
  const filter = new URLSearchParams('states=error,undone&workflow=order&place=/customer&value=c-7&by=cause&sort=took');
  assert.equal(queryOf(filter).toString(), 'states=error%2Cundone&workflow=order&payload%3A%2Fcustomer=c-7');
  assert.deepEqual(bodyOf(filter), {
    states: ['error', 'undone'],
    workflow: 'order',
    payload: { '/customer': 'c-7' },
  });
  assert.equal(wordsOf(filter), 'state=error,undone workflow=order payload:/customer=c-7');
  // What the node keeps of a client that gives no words.
  const kept = JSON.stringify({ ...bodyOf(filter), ended_after_ms: 0 });
  assert.equal(
    whereInWords(kept),
    'state=error,undone workflow=order payload:/customer=c-7 ended_after=1970-01-01T00:00:00.000Z',
  );
  assert.deepEqual(['', '{}', '{"a', 'state=error'].map(whereInWords), [
    'all tasks',
    'all tasks',
    '{"a',
    'state=error',
  ]);
  const times = new URLSearchParams('submitted_after=2026-11-24T02:14:05');
  assert.equal(bodyOf(times).submitted_after_ms, new Date(2026, 10, 24, 2, 14, 5).getTime());
  assert.equal(wordsOf(new URLSearchParams()), 'all tasks');
});
