// The client of the examples, in TypeScript: its types are made of what a node answers at /openapi.json.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeNode } from './node.mjs';
import { startService } from './service.mjs';

const tool = name => path.resolve('node_modules/.bin', name);

test('the client of the examples fits the types of the document, submits a task and follows it', async () => {
  const service = await startService();
  const node = await makeNode(service.port);
  const folder = mkdtempSync(path.join(tmpdir(), 'steadfast-client-'));
  const file = name => path.join(folder, name);
  try {
    await node.start();
    const text = 'name = "trip"\n[[step]]\nname = "ride"\nagent = "stock"\n';
    await node.post('/v1/workflows', { text });
    writeFileSync(file('openapi.json'), await (await fetch(`${node.url}/openapi.json`)).text());
    execFileSync(tool('openapi-typescript'), [file('openapi.json'), '-o', file('api.d.ts')], { stdio: 'pipe' });
    copyFileSync('../examples/http/trip.ts', file('trip.ts'));
    writeFileSync(file('package.json'), '{ "type": "module" }');
    const flags = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom,dom.asynciterable'];
    const more = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions'];
    const compiled = spawnSync(tool('tsc'), [...flags, ...more, file('trip.ts')], { encoding: 'utf8' });
    assert.equal(compiled.status, 0, compiled.stdout);
    const run = id =>
      new Promise(done =>
        execFile(process.execPath, [file('trip.js'), node.url, id], { timeout: 60_000 }, (_, out, told) =>
          done(out + told),
        ),
      );
    assert.match(await run('t1'), /^made\n[^]*processed {2}ride completed\n$/);
    assert.match(await run('t1'), /^it was there\nprocessed/);
    assert.match(await run('t 1'), /id must be 1 to 128 printable characters/);
  } finally {
    await node.remove();
    service.stop();
    rmSync(folder, { recursive: true });
  }
});
