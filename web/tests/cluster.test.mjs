// The page of a node in a cluster of three, of which nodes are killed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startBrowser } from './browser.mjs';
import { makeCluster, until } from './node.mjs';
import { startService } from './service.mjs';

let service, cluster, browser, page;

before(async () => {
  service = await startService();
  cluster = await makeCluster(service.port);
  cluster.up();
  browser = await startBrowser();
  const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' }); // whose clocks are not those of UTC
  page = await context.newPage();
  page.setDefaultTimeout(15_000);
});

after(async () => {
  await browser?.close();
  cluster?.remove();
  service?.stop();
});

async function open(at, node = 'b', on = page) {
  await on.goto(`${cluster.urls[node]}/#/${at}`);
}

/** What the API answers, changed. */
async function answered(path, change) {
  await page.route(path, async route => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  });
}

test('an agent is one line of the first screen, on however many nodes it is', async () => {
  service.moods.printer = { status: 500, body: { error: 'no paper' } };
  for (let i = 0; i < 3; ++i) await cluster.post('/v1/tasks', { id: `paper-${i}`, workflow: 'label', payload: {} });
  const calls = a => a.lately_succeeded + a.lately_refused + a.lately_failed;
  const printers = async () => (await cluster.get('/v1/agents?agent=printer')).agents;
  await until(async () => (await printers()).some(a => calls(a) > 0), 'a call of a printer');
  await open('');
  const agents = page.getByRole('region', { name: 'Agents' });
  await agents.getByText('no paper').waitFor();
  assert.equal(await agents.getByRole('link', { name: 'printer' }).count(), 1);
  await agents.getByRole('link', { name: 'all 9' }).click();
  await page.getByRole('group', { name: 'Agents' }).getByText('at c').first().waitFor();
  service.moods.printer = {};
  await cluster.post('/v1/agents/printer/circuit', { open: true });
  await open('');
  await page.getByRole('list', { name: 'Figures' }).getByText('1 open circuit', { exact: true }).waitFor();
  await cluster.post('/v1/agents/printer/circuit', { open: false });
});

test('what a screen shows of partitions is which node has which, and which none has', async () => {
  await open('nodes');
  const nodes = page.getByRole('group', { name: 'Nodes' });
  await nodes.getByRole('row').nth(3).waitFor();
  assert.equal(await nodes.getByRole('columnheader', { name: 'partitions' }).count(), 0, 'of a store of one');

  // As where nodes that have partitions of a store on PostgreSQL are lost, which would need one here.
  await answered('**/v1/store', stats => ({ ...stats, last_numbers: [7, 8, 9, 7, 8] }));
  const has = { a: [0, 3], b: [1], c: [] };
  let taken = has;
  await answered('**/v1/health?*', health => ({
    ...health,
    nodes: health.nodes.map(n => ({ ...n, partitions: taken[n.name] })),
  }));
  await nodes.getByRole('columnheader', { name: 'partitions' }).waitFor();
  await nodes.getByRole('row', { name: /^a .*0, 3/ }).waitFor();
  await page.getByText('No node has partitions 2, 4: nobody can work on the tasks in them.').waitFor();
  taken = { ...has, c: [2] };
  await page.getByText('No node has partition 4: nobody can work on the tasks in it.').waitFor();
  taken = { ...has, c: [2, 4] };
  await nodes.getByRole('row', { name: /^c .*2, 4/ }).waitFor();
  await page.getByText('No node has').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });
});

test('of a killed node it is said that it is gone, and since when by the clock of who looks', async () => {
  await open('');
  const lost = page.getByRole('region', { name: 'Nodes that do not work' });
  cluster.kill('c');
  await lost.getByText(/^gone c scheduler, supervisor, agents \d\d:\d\d:\d\d/).waitFor();
  await page.getByRole('link', { name: 'node c is silent' }).click();
  const { expires_at: end } = (await cluster.get('/v1/nodes')).nodes.find(n => n.name === 'c');
  const time = new Date(end).toLocaleTimeString('en-GB', {
    timeZone: 'Asia/Tokyo',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  await page.getByText(`its lease ended ${time} although it was not stopped`).first().waitFor();
  cluster.up();
});

test('without the node that has the store, each screen says once that what it shows is old', async () => {
  await cluster.post('/v1/tasks', { id: 'deal-1', workflow: 'deal', payload: { order: 'deal-1' } });
  const screens = ['tasks/deal-1', 'workflows/order', 'tasks', 'nodes', 'agents'];
  const tabs = new Map();
  for (const at of screens) {
    const tab = await page.context().newPage();
    await open(at, 'b', tab);
    await tab.locator('main a').first().waitFor();
    tabs.set(at, tab);
  }
  cluster.kill('a');
  for (const [at, tab] of tabs) {
    await tab.getByText(/the store cannot be reached: node a .*What you see is as it was before/).waitFor();
    if (at === 'agents') await tab.getByText('the other nodes are not known').waitFor();
    else await until(async () => (await tab.locator('.notice').count()) === 1, `one notice at ${at}`);
    assert.equal(await tab.getByText(/^Node +does not answer/).count(), 0);
  }
  cluster.up();
  for (const tab of tabs.values()) {
    await until(async () => (await tab.locator('.notice').count()) === 0, 'no notice');
    await tab.close();
  }
});
