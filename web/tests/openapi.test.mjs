// The OpenAPI document of a node is one, and what the node really answers is what it says.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { makeNode, until } from './node.mjs';
import { startService } from './service.mjs';

let service;
let node;
let document;
let ajv;

before(async () => {
  service = await startService();
  node = await makeNode(service.port);
  await node.start();
  document = await (await fetch(`${node.url}/openapi.json`)).json();
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('int64', true);
  ajv.addSchema({ $id: 'api', components: document.components });
});

after(async () => {
  await node?.remove();
  service?.stop();
});

/** The schema of an answer; its references lead into the document. */
function schemaOf(operation, status, type) {
  const content = operation.responses[status]?.content?.[type];
  assert.ok(content, `${operation.operationId} says nothing of ${status} ${type}`);
  return JSON.parse(JSON.stringify(content.schema).replaceAll('"#/components', '"api#/components'));
}

/** Asks, and holds the answer against the document. */
async function checked(method, template, at, body, headers = {}) {
  const response = await fetch(node.url + at, { method, headers, body: body && JSON.stringify(body) });
  const operation = document.paths[template][method.toLowerCase()];
  const type = response.headers.get('content-type') ?? '';
  const answer = await response.json();
  const validate = ajv.compile(schemaOf(operation, response.status, type));
  assert.ok(validate(answer), `${method} ${at}: ${response.status} ${ajv.errorsText(validate.errors)}`);
  if (response.ok) for (const name of Object.keys(answer)) assert.ok(knows(validate.schema, name), `${at}: ${name}`);
  return { status: response.status, answer };
}

const knows = (schema, name) => name in (schema.properties ?? {});

test('the document is OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document));
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.equal(document.openapi, '3.1.0');
});

test('submissions, and what is wrong with them, are as the document says', async () => {
  const order = { workflow: 'order', payload: { customer: 'c-1' } };
  const put = (id, body, more = '') => checked('PUT', '/v1/tasks/{id}', `/v1/tasks/${id}${more}`, body);
  assert.equal((await put('a', order)).status, 201);
  assert.equal((await put('a', order)).status, 200);
  assert.equal((await put('a', { ...order, payload: {} })).status, 409);
  assert.equal((await put('b', { workflow: 'none' })).status, 422);
  assert.equal((await put('b', { ...order, priority: 10 })).status, 400);
  assert.equal((await checked('POST', '/v1/tasks', '/v1/tasks', order, { 'Idempotency-Key': 'c' })).status, 201);
  const batch = { tasks: [{ id: 'd', ...order }, { id: 'e' }] };
  const { answer } = await checked('POST', '/v1/tasks/batch', '/v1/tasks/batch', batch);
  assert.deepEqual(
    answer.results.map(r => r.status),
    [201, 400],
  );
});

test('every question is answered as the document says', async () => {
  service.moods.shipping = { status: 422, body: { error: 'no' } };
  service.moods.payment_undo = { status: 400, body: { error: 'never' } };
  service.moods.printer = { status: 500, body: { error: 'on fire' } };
  await node.submit('w');
  await node.post('/v1/tasks', { id: 'x', workflow: 'label', payload: {} });
  const daily = '[[schedule]]\nname = "order"\nworkflow = "label"\nevery = "1d"\n';
  assert.equal((await checked('POST', '/v1/schedules', '/v1/schedules', { text: daily })).status, 200);
  await until(async () => (await node.get('/v1/incidents')).incidents.length > 0, 'an incident');
  const { bulk } = await node.post('/v1/bulk-acts', { act: 'undo', workflow: 'label', why: 'test' });
  const [incident] = (await node.get('/v1/incidents?all')).incidents;
  const [actor] = (await node.get('/v1/actors')).actors;
  const values = { id: 'w', bulk, incident: incident.number, name: 'order' };
  for (const [template, operations] of Object.entries(document.paths)) {
    if (!operations.get || !template.startsWith('/v1') || template.endsWith('/events')) continue;
    const named = template.startsWith('/v1/actors/') ? { id: actor.id } : values;
    const at = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named[name]));
    const { status } = await checked('GET', template, at);
    assert.equal(status, 200, at);
  }
  const { answer } = await checked('GET', '/v1/tasks', `/v1/tasks?incident=${incident.number}`);
  assert.ok(answer.tasks.some(t => t.id === incident.sample_task));
  const health = (await checked('GET', '/v1/health', '/v1/health')).answer;
  assert.ok(!health.well);
  assert.match(health.sentence, /since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
  await checked('GET', '/v1/tasks/{id}', '/v1/tasks/none');
  await checked('GET', '/v1/tasks', '/v1/tasks?colour=red');
  await checked('GET', '/v1/counts', '/v1/counts?by=workflow');
});

test('acts are answered as the document says', async () => {
  const act = (id, body) => checked('POST', '/v1/tasks/{id}/actions', `/v1/tasks/${id}/actions`, body);
  assert.equal((await act('w', { act: 'undo', dry_run: true })).status, 200);
  assert.equal((await act('x', { act: 'resume' })).status, 409);
  assert.equal((await act('none', { act: 'undo' })).status, 404);
  await node.post('/v1/tasks', { id: 'deal', workflow: 'deal', payload: { order: 'deal' } });
  const asked = async () => (await checked('GET', '/v1/approvals', '/v1/approvals?roles=sales')).answer.approvals;
  await until(async () => (await asked()).length === 1, 'a question');
  const answer = choice =>
    checked('POST', '/v1/tasks/{id}/approvals/{step}', '/v1/tasks/deal/approvals/approval', { choice });
  assert.equal((await answer('perhaps')).status, 409);
  assert.equal((await answer('ship')).status, 200);
  assert.deepEqual(await asked(), []);
  const plan = { act: 'undo', workflow: 'order', dry_run: true };
  await checked('POST', '/v1/bulk-acts', '/v1/bulk-acts', plan);
  await checked('POST', '/v1/agents/{agent}/circuit', '/v1/agents/stock/circuit', { open: true });
  await checked('POST', '/v1/agents/{agent}/circuit', '/v1/agents/stock/circuit', { open: false });
  const text = 'name = "more"\n[[step]]\nname = "a"\nagent = "stock"\n';
  await checked('POST', '/v1/workflows', '/v1/workflows', { text });
  await checked('POST', '/v1/workflows', '/v1/workflows', { text: 'name = 7' });
  const paused = { act: 'pause', why: 'test' };
  assert.equal(
    (await checked('POST', '/v1/schedules/{name}/actions', '/v1/schedules/order/actions', paused)).status,
    200,
  );
  assert.equal(
    (await checked('POST', '/v1/schedules', '/v1/schedules', { text: '[[schedule]]\nname = 7' })).status,
    400,
  );
  await checked('POST', '/v1/store/check', '/v1/store/check', {});
  assert.equal((await checked('POST', '/v1/webhooks/{webhook}/test', '/v1/webhooks/none/test', {})).status, 404);
});
