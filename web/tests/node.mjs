import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const binary = path.resolve(process.env.STEADFAST_BINARY);
const agents = ['orders', 'orders_undo', 'payment', 'payment_undo', 'stock', 'shipping', 'printer', 'studio', 'garage'];

const order = `
name = "order"
version = 1
deadline = "1h"
index = ["payload:/customer"]
result = { shipped = "ship:/reference" }

[[step]]
name = "store_order"
agent = "orders"
compensation = { agent = "orders_undo" }

[[step]]
name = "charge"
agent = "payment"
after = ["store_order"]
compensation = { agent = "payment_undo" }

[[step]]
name = "reserve"
agent = "stock"
after = ["store_order"]
retry = { attempts = 2, initial = "100ms", cap = "100ms" }
threshold = 1
cool_off = { wait = "1s", count = 0 }
on_exhausted = "error"

[[step]]
name = "ship"
agent = "shipping"
after = ["charge", "reserve"]
`;

const label = `
name = "label"
version = 1

[[step]]
name = "print"
agent = "printer"
`;

const deal = `
name = "deal"
version = 1
deadline = "10d"

[[step]]
name = "payment"
wait = { event = "paid", key = "payload:/order", limit = "3d" }

[[step]]
name = "approval"
agent = "person"
role = "sales"
question = "May it be shipped?"
choices = ["ship", "return"]
limit = "2h"
after = []

[[step]]
name = "credit"
agent = "person"
role = "finance"
question = "Is the customer good for it?"
limit = "2h"
after = []

[[step]]
name = "render"
agent = "studio"
later = { limit = "1h", heartbeat = "30m" }
after = []
`;

const fleet = `
name = "fleet"
version = 1

[[step]]
name = "papers"
workflow = "label"
payload = "payload:/papers"

[[step]]
name = "each"
for_each = "payload:/vans"
agent = "garage"
at_a_time = 4
may_fail = "50%"
input = { van = "item:" }
after = []
`;

const turn = `
name = "turn"
version = 1
deadline = "10d"

[limit]
key = "payload:/customer"
at_a_time = 1

[[step]]
name = "go"
wait = { event = "go", key = "payload:/ticket", limit = "3d" }
`;

const schedules = `
[[schedule]]
name = "nightly"
workflow = "label"
cron = "30 2 * * *"
zone = "Europe/Berlin"
payload = { region = "south" }

[[schedule]]
name = "hourly"
workflow = "label"
every = "1h"
overlap = "queue"
`;

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const files = { order, label, deal, fleet, turn, schedules };

/** The workflows into the folder; gives the option that names them. */
function writeWorkflows(folder) {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, `${name}.toml`), text);
  return `workflows = [${Object.keys(files).map(name => `"${name}.toml"`)}]`;
}

/** The agents that call the services of `startService`. */
function tablesOfAgents(servicePort, circuit = 'failures = 0') {
  const table = name => `[[agent]]
name = "${name}"
url = "http://127.0.0.1:${servicePort}/${name}"
retry = { attempts = 1 }
circuit = { ${circuit} }
`;
  return agents.map(table).join('');
}

async function ask(url, method, body, token = '') {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  return (await fetch(url, { method, headers, body: body && JSON.stringify(body) })).json();
}

/** A node of its own folder, with some workflows, schedules and the services of `startService`, and with `more`. */
export async function makeNode(servicePort, more = '') {
  const folder = mkdtempSync(path.join(tmpdir(), 'steadfast-page-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = name => path.join(folder, name);
  const workflows = writeWorkflows(folder);
  let process_;
  let token = '';

  const start = async ({ withTokens = false } = {}) => {
    writeFileSync(
      file('node.toml'),
      `name = "a"
${workflows}
[store]
path = "store"
[control]
socket = "control.sock"
[http]
listen = "127.0.0.1:${port}"
${withTokens ? 'tokens = "tokens.json"' : ''}
[bulk]
rate = 200
${tablesOfAgents(servicePort)}${more}`,
    );
    const log = openSync(file('log'), 'a');
    process_ = spawn(binary, ['serve', '-c', file('node.toml')], { stdio: ['ignore', log, log], cwd: folder });
    await until(
      async () => (await fetch(`${url}/health/ready`)).ok,
      `the node to be ready: ${readFileSync(file('log'))}`,
    );
  };
  const kill = async () => {
    if (process_.exitCode !== null || process_.signalCode !== null) return;
    process_.kill('SIGKILL');
    await once(process_, 'exit');
  };
  const asked = (method, at, body) => ask(url + at, method, body, token);
  const newToken = (name, ...more) => {
    const args = ['token', 'create', name, ...more, '--file', file('tokens.json')];
    return `${execFileSync(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] })}`.match(/\S{32,}/)[0];
  };
  return {
    url,
    folder,
    start,
    kill,
    get: at => asked('GET', at),
    post: (at, body) => asked('POST', at, body),
    submit: (id, payload = {}, more = {}) =>
      asked('POST', '/v1/tasks', { id, workflow: 'order', payload: { customer: 'c-1', ...payload }, ...more }),
    state: async id => (await asked('GET', `/v1/tasks/${encodeURIComponent(id)}/state`)).process_state,
    makeToken: () => (token = newToken('ann', '--scope', 'admin')),
    newToken,
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Three nodes of `steadfast cluster up`, each with the page and the services of `startService`; `a` has the store.
 */
export async function makeCluster(servicePort) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steadfast-page-'));
  const names = ['a', 'b', 'c'];
  const urls = {};
  const tables = [];
  for (const name of names) {
    const port = await freePort();
    urls[name] = `http://127.0.0.1:${port}`;
    const roles = [...(name === 'a' ? ['store'] : []), 'scheduler', 'supervisor', 'agents'];
    tables.push(`[[node]]
name = "${name}"
roles = [${roles.map(role => `"${role}"`)}]
listen = "127.0.0.1:${await freePort()}"
http = "127.0.0.1:${port}"
`);
  }
  const lease = 'ttl = "4s"\nrenew_every = "1s"\nmargin = "1s"\n';
  writeFileSync(
    path.join(folder, 'cluster.toml'),
    `folder = "nodes"
${writeWorkflows(folder)}
[cluster.lease]
${lease}[supervisor.lease]
${lease}[bulk]
rate = 200
${tables.join('')}${tablesOfAgents(servicePort, 'failures = 5, open_for = "5s"')}`,
  );
  const cluster = verb => `${execFileSync(binary, ['cluster', verb, 'cluster.toml'], { cwd: folder })}`;
  const pids = {};
  const up = () => {
    for (const [, name, pid] of cluster('up').matchAll(/^node (\S+): .*process (\d+)/gm)) pids[name] = Number(pid);
  };
  return {
    urls,
    up,
    kill: name => process.kill(pids[name], 'SIGKILL'),
    get: (at, name = 'a') => ask(urls[name] + at, 'GET'),
    post: (at, body, name = 'a') => ask(urls[name] + at, 'POST', body),
    remove: () => {
      cluster('down');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Asks again and again; what throws counts as no. */
export async function until(isSo, what, limit = 15_000) {
  const end = Date.now() + limit;
  for (;;) {
    try {
      if (await isSo()) return;
    } catch (e) {
      if (Date.now() > end) throw e;
    }
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise(done => setTimeout(done, 50));
  }
}
