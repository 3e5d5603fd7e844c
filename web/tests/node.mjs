import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const binary = process.env.STEADFAST_BINARY;
const agents = ['orders', 'orders_undo', 'payment', 'payment_undo', 'stock', 'shipping', 'printer'];

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

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A node of its own folder, with two workflows and the services of `startService`. */
export async function makeNode(servicePort) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steadfast-page-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = name => path.join(folder, name);
  writeFileSync(file('order.toml'), order);
  writeFileSync(file('label.toml'), label);
  let process_;
  let token = '';

  const start = async ({ withTokens = false } = {}) => {
    const tables = agents.map(
      name => `[[agent]]
name = "${name}"
url = "http://127.0.0.1:${servicePort}/${name}"
retry = { attempts = 1 }
circuit = { failures = 0 }
`,
    );
    writeFileSync(
      file('node.toml'),
      `name = "a"
workflows = ["order.toml", "label.toml"]
[store]
path = "store"
[control]
socket = "control.sock"
[http]
listen = "127.0.0.1:${port}"
${withTokens ? 'tokens = "tokens.json"' : ''}
[bulk]
rate = 200
${tables.join('')}`,
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
  const ask = async (method, at, body) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(url + at, { method, headers, body: body && JSON.stringify(body) });
    return response.json();
  };
  return {
    url,
    start,
    kill,
    get: at => ask('GET', at),
    post: (at, body) => ask('POST', at, body),
    submit: (id, payload = {}, more = {}) =>
      ask('POST', '/v1/tasks', { id, workflow: 'order', payload: { customer: 'c-1', ...payload }, ...more }),
    state: async id => (await ask('GET', `/v1/tasks/${encodeURIComponent(id)}/state`)).process_state,
    makeToken: () => {
      const args = ['token', 'create', 'ann', '--scope', 'admin', '--file', file('tokens.json')];
      const said = execFileSync(binary, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      token = `${said}`.match(/\S{32,}/)[0];
      return token;
    },
    remove: async () => {
      await kill();
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
