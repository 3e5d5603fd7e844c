// The pictures of docs/page.md, of a cluster under load: `web/tests/run PROGRAM pictures` makes them anew.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startBrowser } from './browser.mjs';
import { makeCluster, until } from './node.mjs';
import { startService } from './service.mjs';

const folder = path.resolve('../docs/pictures');
const seconds = 70; // of load before the first picture, as many as a chart shows and more
const batch = 3; // tasks, each 100 ms
const resting = () => ({ not_before_ms: Date.now() + 3_600_000 });

const service = await startService();
const cluster = await makeCluster(service.port);
const { moods } = service;
const browser = await startBrowser();
const pause = ms => new Promise(done => setTimeout(done, ms));

const begun = Date.now();
let sent = 0;
let isOver = false;

async function post(at, body, node) {
  const told = await cluster.post(at, body, node);
  if (told.code) throw new Error(`${at}: ${told.detail}`);
  return told;
}

/** More by day than by night. */
function wave() {
  return Math.round(batch * (1 + 0.7 * Math.sin((Date.now() - begun) / 9000)));
}

async function load() {
  while (!isOver) {
    const tasks = Array.from({ length: wave() }, () => ({
      id: `web-${++sent}`,
      workflow: sent % 9 === 0 ? 'label' : 'order',
      payload: { customer: `c-${sent % 17}`, n: sent % 40 },
    }));
    await post('/v1/tasks/batch', { tasks }, 'b');
    await pause(100);
  }
}

const gifts = { states: ['pending'], text: 'gift-', where: 'state=pending text=gift-' };

function startBulk(act, tasks, who, why) {
  return post('/v1/bulk-acts', { act, ...tasks, who, why });
}

/** What goes wrong, and what people have done about it. */
async function setTheScene() {
  moods.stock = { after: 60 };
  moods.shipping = { status: 422, body: { error: 'the address cannot be read' }, of: '"n":7' };
  moods.payment = { status: 402, body: { error: 'the bank refuses the card' }, of: '"n":23' };
  moods.payment_undo = { status: 400, body: { error: 'the time for refunds has passed' } };
  moods.studio = { status: 202 };
  const tasks = Array.from({ length: 400 }, (_, n) => ({
    ...{ id: `gift-${n}`, workflow: 'order', payload: { customer: `c-${n % 17}`, n: 1 } },
    ...resting(),
  }));
  await post('/v1/tasks/batch', { tasks });
  for (const [n, id] of ['deal-511', 'deal-512', 'deal-513'].entries()) {
    await post('/v1/tasks', { id, workflow: 'deal', payload: { order: id, sum: 90 + n } });
    await pause(1500);
  }
  for (const why of ['the labels of the south are missing', 'once more']) {
    const { task } = await post('/v1/schedules/nightly/actions', { act: 'run', who: 'ann', why });
    await until(async () => (await cluster.get(`/v1/tasks/${task}/state`)).process_state === 'processed', task);
  }
  const token = service.tokens.studio;
  await post('/v1/steps/extend', { token, progress: 'frame 40 of 96' });
}

async function doWhatPeopleDo() {
  moods.printer = { status: 500, body: { error: 'the printer is on fire' } };
  await until(
    async () => (await cluster.get('/v1/agents?agent=printer')).agents.some(a => a.lately_failed > 0),
    'a fire',
  );
  await post('/v1/agents/printer/circuit', { open: true, who: 'ann', why: 'the printer is on fire' });
  moods.printer = {};
  await startBulk(
    'cancel',
    { ...gifts, text: 'gift-3', where: 'state=pending text=gift-3' },
    'bela',
    'they are sold out',
  );
  await startBulk('undo', { states: ['error'], where: 'state=error' }, 'bela', 'the bank is open');
  await pause(4000); // until the undo has failed again
  const { incidents } = await cluster.get('/v1/incidents');
  const refunds = incidents.find(i => i.cause.includes('refunds'));
  const act = { act: 'ack', who: 'bela', why: 'the bank opens at eight' };
  await post(`/v1/incidents/${refunds.number}/actions`, act);
}

async function picture(
  name,
  at,
  { size = [1200, 860], colorScheme = 'light', ready = 'main .card', wait = 2500 } = {},
) {
  const [width, height] = size;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  await page.goto(`${cluster.urls.b}/#/${at}`);
  await page.locator(ready).first().waitFor();
  await pause(wait);
  const file = path.join(folder, `page-${name}.png`);
  await page.screenshot({ path: file });
  execFileSync('pngquant', ['--force', '--strip', '--nofs', '--output', file, '64', file]);
  await context.close();
}

try {
  cluster.up();
  await setTheScene();
  const loading = load();
  await Promise.all([
    picture('overview', '', { wait: seconds * 1000 }),
    picture('narrow', '', { wait: seconds * 1000, size: [360, 800], colorScheme: 'dark' }),
    pause((seconds - 25) * 1000).then(doWhatPeopleDo),
  ]);
  moods.stock = { after: 900 };
  await pause(2000);
  const [{ id }] = (await cluster.get('/v1/tasks?states=error&max=1')).tasks;
  await picture('task', `tasks/${id}`, { colorScheme: 'dark' });
  await picture('tasks', 'tasks?states=error,undone&by=cause');
  await picture('workflow', 'workflows/order');
  await picture('waits', 'tasks/deal-513');
  await picture('approvals', 'approvals');
  await picture('schedule', 'schedules/nightly', { size: [1200, 590] });
  await picture('agents', 'agents');
  await picture('actors', 'actors');
  await startBulk('suspend', gifts, 'ann', 'until the wrapping paper is here');
  await picture('bulk', 'bulk', { wait: 500, size: [1200, 300] });
  cluster.kill('c');
  await until(async () => (await cluster.get('/v1/nodes')).nodes.some(n => n.state === 'gone'), 'the node to be gone');
  await picture('nodes', 'nodes', { size: [1200, 740] });
  isOver = true;
  await loading;
} finally {
  isOver = true;
  await browser.close();
  cluster.remove();
  service.stop();
}
