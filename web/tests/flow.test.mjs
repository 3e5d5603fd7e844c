// Of the long set: how soon the page answers while 1,000 tasks a second flow through its node for a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from './browser.mjs';
import { makeNode, until } from './node.mjs';
import { startService } from './service.mjs';

const perSecond = 1000;
const seconds = 60;
const batch = 50;
const answerMax = 100; // milliseconds
const workflow = 'label'; // of one step, which calls a service

/** Submits at that pace until the signal; gives how many were taken. */
async function flow(node, signal) {
  const begun = Date.now();
  let sent = 0;
  let taken = 0;
  const open = new Set();
  while (!signal.aborted) {
    for (const due = ((Date.now() - begun) / 1000) * perSecond; sent < due; sent += batch) {
      const tasks = Array.from({ length: batch }, (_, i) => ({ id: `flow-${sent + i}`, workflow, payload: { n: i } }));
      const request = node.post('/v1/tasks/batch', { tasks }).then(told => {
        taken += told.results.filter(r => r.id !== undefined).length;
        open.delete(request);
      });
      open.add(request);
    }
    await new Promise(done => setTimeout(done, 10));
  }
  await Promise.all(open);
  return taken;
}

/**
 * Does something in the page, and gives the milliseconds from the press of a button or a key until what answers it is
 * painted: first the screen by its heading, then what the node told for it.
 */
async function timed(page, act, heading, content) {
  await page.evaluate(
    ([wanted, filled]) => {
      globalThis.times = new Promise(done => {
        let begun;
        for (const type of ['click', 'keydown'])
          addEventListener(type, e => (begun = e.timeStamp), { capture: true, once: true });
        const painted = tell => {
          const { port1, port2 } = new MessageChannel(); // a message is handled after the frame that is being made
          port1.onmessage = () => tell(performance.now() - begun);
          port2.postMessage(0);
        };
        let answered;
        const look = () => {
          const isThere = begun !== undefined && document.querySelector('main h1')?.textContent === wanted;
          if (isThere && answered === undefined) painted(ms => (answered = ms));
          if (isThere && document.querySelector(`main ${filled}`)) painted(ms => done([answered, ms]));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
    },
    [heading, content],
  );
  await act();
  return page.evaluate(() => globalThis.times);
}

function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

/** What a chart says now: its numbers, and how many points each of its lines has. */
async function chart(page, title) {
  const drawn = page.locator('.chart', { has: page.getByText(title, { exact: true }) }).locator('svg');
  const label = await drawn.getAttribute('aria-label');
  const paths = await drawn.locator('path').evaluateAll(all => all.map(p => p.getAttribute('d') ?? ''));
  return {
    label,
    numbers: [...label.matchAll(/([\d.]+) ?(?:\/s|ms|s)\b/g)].map(m => Number(m[1])),
    points: paths.map(d => [...d.matchAll(/[ML]/g)].length),
  };
}

/** That the page shows what flows: the charts are drawn and say the rate, tiles and list have the tasks. */
async function expectFilled(page, link) {
  await link('Overview')();
  for (const title of ['Submitted', 'Ended'])
    await until(
      async () => (await chart(page, title)).numbers[0] >= perSecond / 2,
      `"${title}" to tell the rate, and not ${(await chart(page, title)).label}`,
    );
  const [submitted, ended, calls] = [
    await chart(page, 'Submitted'),
    await chart(page, 'Ended'),
    await chart(page, 'Calls of agents'),
  ];
  assert.ok(submitted.points[0] >= 10, `"Submitted" has ${submitted.points} points`);
  assert.ok(ended.points[0] >= 10, `"Ended" has ${ended.points} points`);
  assert.ok(
    calls.points.every(n => n >= 10) && calls.numbers.length === 2,
    `"Calls of agents" has ${calls.points} points and says ${calls.label}`,
  );
  const tiles = page.getByRole('list', { name: 'Figures' });
  const processed = await tiles.locator('a', { hasText: 'processed' }).innerText();
  assert.ok(Number(processed.replace(/\D/g, '')) > perSecond, `the tile says ${processed}`);
  await link('Tasks')();
  const rows = page.locator('.task-frame a', { hasText: 'flow-' });
  await until(async () => (await rows.count()) >= 10, 'ten tasks to be listed');
}

test(`the page answers within ${answerMax} ms while ${perSecond} tasks/s flow for ${seconds} s`, async () => {
  const service = await startService();
  const node = await makeNode(service.port);
  const browser = await startBrowser();
  const over = new AbortController();
  try {
    await node.start();
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
    await page.goto(node.url);
    await page.getByRole('list', { name: 'Figures' }).waitFor();
    const submitting = flow(node, over.signal);
    const ended = async () => (await node.get('/v1/store')).tasks.processed;
    await until(async () => (await ended()) > perSecond, 'tasks to flow');

    const key = k => () => page.keyboard.press(k);
    const link = name => () => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    const screens = [
      [link('Tasks'), 'Tasks', '.task-frame a'],
      [link('Overview'), 'Overview', '.tiles'],
      [key('2'), 'Tasks', '.task-frame a'],
      [link('Workflows'), 'Workflows', 'td'],
      [
        async () => (await page.locator('[data-row]', { hasText: workflow }).focus(), key('Enter')()),
        workflow,
        '.graph',
      ],
      [link('Agents'), 'Agents', 'td'],
      [link('Nodes'), 'Nodes', 'td'],
      [link('Actors'), 'Actors', 'td'],
      [link('Schedules'), 'Schedules', 'td'],
      [key('1'), 'Overview', '.tiles'],
    ];
    const times = new Map(screens.map(([, heading]) => [heading, { answered: [], filled: [] }]));
    const [begun, before] = [Date.now(), await ended()];
    while (Date.now() < begun + seconds * 1000)
      for (const [act, heading, content] of screens) {
        const [answered, filled] = await timed(page, act, heading, content);
        times.get(heading).answered.push(answered);
        times.get(heading).filled.push(filled);
        await page.waitForTimeout(100); // what a screen asks for at its begin is there
      }
    await expectFilled(page, link);
    const rate = ((await ended()) - before) / ((Date.now() - begun) / 1000);
    over.abort();
    const taken = await submitting;
    await until(async () => (await ended()) >= taken, 'all to be processed', 60_000);

    console.log(`${Math.round(rate)} tasks/s were processed meanwhile, ${taken} in all`);
    console.log('from a press to the paint, ms:      times  p50  p95  max   and of what the node told  p50  p95  max');
    const told = all => [0.5, 0.95, 1].map(q => `${Math.round(quantile(all, q))}`.padStart(4)).join(' ');
    const line = (name, t) => {
      const [answered, filled] = [t.answered, t.filled].map(all => all.sort((a, b) => a - b));
      console.log(
        `${name.padEnd(35)} ${`${answered.length}`.padStart(5)} ${told(answered)} ${told(filled).padStart(42)}`,
      );
      return answered;
    };
    for (const [heading, t] of times) line(heading, t);
    const all = [...times.values()];
    const answered = line('all', { answered: all.flatMap(t => t.answered), filled: all.flatMap(t => t.filled) });
    assert.ok(rate >= 0.95 * perSecond, `only ${rate} tasks/s`);
    assert.ok(quantile(answered, 0.95) <= answerMax, `p95 is ${quantile(answered, 0.95)} ms`);
  } finally {
    over.abort();
    await browser.close();
    await node.remove();
    service.stop();
  }
});
