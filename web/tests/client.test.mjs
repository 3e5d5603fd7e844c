// What the examples have for other languages: clients in Python and TypeScript, whose types are made of what a node
// answers at /openapi.json, and a receiver of webhooks for a chat.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeNode } from './node.mjs';
import { startService } from './service.mjs';

const tool = name => path.resolve('node_modules/.bin', name);
const examples = path.resolve('../examples');
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };

/** What a program says until its end, and with which code it failed. */
function said(program, ...args) {
  return new Promise(done =>
    execFile(program, args, { timeout: 60_000, env }, (failed, out, told) =>
      done(out + told + (failed ? `exit code ${failed.code}` : '')),
    ),
  );
}

/** In front of the node; what the node answers to the first request gets lost. */
function losingTheFirstAnswer(node) {
  let isFirst = true;
  return http.createServer((request, response) => {
    const { method, headers } = request;
    const onward = http.request(node.url + request.url, { method, headers }, answer => {
      if (isFirst) request.socket.destroy();
      else answer.pipe(response.writeHead(answer.statusCode, answer.headers));
      isFirst = false;
    });
    request.pipe(onward);
  });
}

/** In front of the node, which has no room for the first request. */
function busyAtFirst(node) {
  const detail = 'the store is full: make room';
  let isFirst = true;
  return http.createServer((request, response) => {
    if (isFirst) {
      isFirst = false;
      response.writeHead(503, { 'Content-Type': 'application/problem+json', 'Retry-After': 1 });
      return response.end(JSON.stringify({ status: 503, code: 'busy', detail }));
    }
    const { method, headers } = request;
    request.pipe(
      http.request(node.url + request.url, { method, headers }, answer =>
        answer.pipe(response.writeHead(answer.statusCode, answer.headers)),
      ),
    );
  });
}

test('the clients of the examples do their work, and give up what never works', async t => {
  const service = await startService();
  const node = await makeNode(service.port);
  const folder = mkdtempSync(path.join(tmpdir(), 'steadfast-client-'));
  const file = name => path.join(folder, name);
  const clients = {
    TypeScript: (...args) => said(process.execPath, file('trip.mjs'), ...args),
    Python: (...args) => said('python3', `${examples}/http/trip.py`, ...args),
  };
  const saidTo = async (server, scheme, run, id) => {
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    const words = await run(`${scheme}://127.0.0.1:${server.address().port}`, id);
    server.close();
    server.closeAllConnections();
    return words;
  };
  /** What each client says when it meets this server. */
  const metBy = async (server, scheme) => {
    const answers = [];
    for (const run of Object.values(clients)) answers.push(await saidTo(server, scheme, run, 't1'));
    return answers;
  };
  try {
    await node.start();
    const text = 'name = "trip"\n[[step]]\nname = "ride"\nagent = "stock"\n';
    await node.post('/v1/workflows', { text });
    writeFileSync(file('openapi.json'), await (await fetch(`${node.url}/openapi.json`)).text());
    execFileSync(tool('openapi-typescript'), [file('openapi.json'), '-o', file('api.d.ts')], { stdio: 'pipe' });
    copyFileSync(`${examples}/http/trip.mts`, file('trip.mts'));
    const flags = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom,dom.asynciterable'];
    const more = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions'];
    const compiled = spawnSync(tool('tsc'), [...flags, ...more, file('trip.mts')], { encoding: 'utf8' });
    assert.equal(compiled.status, 0, compiled.stdout);
    for (const [name, run] of Object.entries(clients))
      await t.test(`in ${name}`, async () => {
        const source = readFileSync(`${examples}/http/trip.${name === 'Python' ? 'py' : 'mts'}`, 'utf8');
        assert.ok(source.split('\n').length <= 41, 'docs/http.md promises 40 lines');
        assert.match(await run(node.url, name), /^made\n[^]*processed +ride completed\n$/);
        assert.match(await run(node.url, name), /^it was there\nprocessed/);
        assert.match(await run(node.url, 't 1'), /id must be 1 to 128 printable characters[^\n]*\nexit code 1$/);
        const lost = await saidTo(losingTheFirstAnswer(node), 'http', run, `${name}-lost`);
        assert.match(lost, /^it was there\nprocessed +ride completed\n[^\n]+; trying again\n$/);
        const busy = await saidTo(busyAtFirst(node), 'http', run, `${name}-busy`);
        assert.match(busy, /processed +ride completed\n/);
        assert.match(busy, /^the store is full: make room; trying again$/m);
        service.moods.stock = { status: 422, body: { error: 'no seat is left' } };
        const words = /^made\nundone +ride failed\nbecause: [^\n]*no seat is left[^\n]*\nexit code 1$/;
        assert.match(await run(node.url, `${name}-full`), words);
        service.moods.stock = {};
      });
    await t.test('a certificate that does not fit', async () => {
      const made = ['-keyout', file('key'), '-out', file('certificate'), '-subj', '/CN=n1', '-days', '1', '-nodes'];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...made], {
        stdio: 'pipe',
      });
      const server = https.createServer({ key: readFileSync(file('key')), cert: readFileSync(file('certificate')) });
      for (const words of await metBy(server, 'https'))
        assert.match(words, /^https:[^\n]*certificate[^\n]*\nexit code 1$/);
    });
    await t.test('a port that speaks no TLS', async () => {
      for (const words of await metBy(http.createServer(), 'https'))
        assert.match(words, /^https:[^\n]*\n+exit code 1$/);
    });
    await t.test('the port of something else', async () => {
      const other = http.createServer((_, response) => response.writeHead(404).end('<html>'));
      for (const words of await metBy(other, 'http')) assert.match(words, /^http:[^\n]*404[^\n]*\nexit code 1$/);
    });
  } finally {
    await node.remove();
    service.stop();
    rmSync(folder, { recursive: true });
  }
});

test('the chat is told which task of which workflow, and why', () => {
  const words = (type, data) =>
    execFileSync('python3', ['-c', 'import chat, json, sys; print(chat.words(json.load(sys.stdin)), end="")'], {
      cwd: `${examples}/webhook`,
      input: JSON.stringify({ type, data }),
      encoding: 'utf8',
      env,
    });
  const about = { workflow: 'bad', step: 'pay', task: 'bad-2', cause: 'exit code 1' };
  const text = 'step `pay` could not be undone and is still in place';
  assert.equal(
    words('alert.raised', { alert: 10, kind: 'undo_failed', text, ...about }),
    `Alert 10 (undo_failed) at bad/pay, task bad-2: ${text}: exit code 1`,
  );
  assert.equal(
    words('incident.opened', { incident: 1, text, ...about }),
    `Incident 1 (bad/pay): ${text}: exit code 1; first seen with task bad-2`,
  );
  assert.equal(
    words('incident.over', { incident: 1, text, tasks: 1, ...about }),
    'Incident 1 (bad/pay) is over; it affected 1 task',
  );
  const node = { workflow: '', step: '', task: '', cause: '', text: 'node `b` is gone' };
  assert.equal(words('incident.opened', { incident: 2, ...node }), 'Incident 2: node `b` is gone');
});
