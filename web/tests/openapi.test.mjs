// The OpenAPI document of a node is one, and what the node really answers is what it says: no more and no less.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { makeNode, until } from './node.mjs';
import { startService } from './service.mjs';

/** What no answer here has: it needs other nodes, a clock that is an hour ahead, or an overload. */
const neverSeen = [
  /^peer\./,
  /^silent_node\./,
  /^stuck_task\./,
  /^late_reply\./,
  /^problem\.retry_after_ms$/,
  /^store_stats_answer\.last_numbers$/, // of several partitions
  /^store_check_answer\.partitions_elsewhere$/, // likewise, that other nodes have
  /^node\.partitions$/, // likewise
];

/** A workflow that says all that one can say. */
const everything = `
name = "everything"
version = 1
index = ["payload:/customer"]
result = { shipped = "call:/reference" }

[limit]
key = "payload:/customer"
at_a_time = 2
per = "1s"

[[step]]
name = "call"
agent = "stock"
input = { sum = "payload:/sum" }
cool_off = { wait = "1s", count = 1 }
expect = { pointer = "/never", present = false }
on_unexpected = "retry"
compensation = { agent = "orders_undo", input = { sum = "payload:/sum" } }
probe = { agent = "orders" }
when = { all = [
  { step = "payload", pointer = "/sum", above = 1 },
  { step = "payload", pointer = "/sum", at_least = 2 },
  { step = "payload", pointer = "/sum", below = 9 },
  { any = [
    { step = "payload", pointer = "/sum", at_most = 8 },
    { step = "payload", pointer = "/x", present = true },
  ] },
  { not = { step = "payload", pointer = "/sum", equals = 7 } },
  { step = "payload", pointer = "/sum", differs = 6 },
] }

[[step]]
name = "poll"
agent = "orders"
repeat = { until = { pointer = "/state", equals = "done" }, every = "10m", at_most = 3 }
after = []

[[step]]
name = "pause"
sleep = "1h"
after = []

[[step]]
name = "until"
until = "next 08:00 Europe/Lisbon"
after = []

[[step]]
name = "ask"
agent = "person"
role = "sales"
question = "Again?"
limit = "2h"
remind_every = "1h"
after = []

[[step]]
name = "each"
for_each = "payload:/vans"
workflow = "label"
at_a_time = 2
may_fail = 1
after = []
`;

let service;
let node;
let document;
let ajv;
const asked = new Set(); // operations that were answered well
const seen = new Set(); // members of answers, by schema

before(async () => {
  service = await startService();
  const webhook = `[[webhook]]\nname = "chat"\nevents = ["incident"]\nurl = "http://127.0.0.1:${service.port}/chat"\n`;
  node = await makeNode(service.port, webhook);
  await node.start();
  document = await (await fetch(`${node.url}/openapi.json`)).json();
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('int64', true);
  ajv.addSchema({ $id: 'api', components: closed(document.components) });
});

after(async () => {
  await node?.remove();
  service?.stop();
});

/** The same, where no object may have a member that its schema does not name. */
function closed(part) {
  if (Array.isArray(part)) return part.map(closed);
  if (!part || typeof part !== 'object') return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  return part.type === 'object' && part.properties ? { additionalProperties: false, ...copy } : copy;
}

const at = reference =>
  reference
    .slice(2)
    .split('/')
    .reduce((part, name) => part[name], document);

/** The schema of an answer; its references lead into the document. */
function schemaOf(operation, status, type) {
  const response = operation.responses[status];
  const content = (response?.$ref ? at(response.$ref) : response)?.content?.[type];
  assert.ok(content, `${operation.operationId} says nothing of ${status} ${type}`);
  return content.schema;
}

function hold(value, schema, where) {
  const validate = ajv.compile(
    JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components', '"api#/components')),
  );
  assert.ok(validate(value), `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  note(value, schema, '');
}

/** Takes down which members of which schema there were. */
function note(value, schema, name) {
  if (value === null || value === undefined || !schema) return;
  const reference = schema.$ref ?? schema.oneOf?.[0].$ref;
  if (reference) return note(value, at(reference), reference.split('/').at(-1));
  if (Array.isArray(value)) return value.forEach(one => note(one, schema.items, name));
  for (const [member, part] of Object.entries(schema.properties ?? {})) {
    if (member in value) seen.add(`${name}.${member}`);
    note(value[member], part, `${name}.${member}`);
  }
}

/** Asks, and holds the answer against the document. */
async function checked(method, template, target, body, headers = {}) {
  const response = await fetch(node.url + target, { method, headers, body: body && JSON.stringify(body) });
  const operation = document.paths[template][method.toLowerCase()];
  const type = (response.headers.get('content-type') ?? '').split(';')[0];
  const answer = type.endsWith('json') ? await response.json() : await response.text();
  hold(answer, schemaOf(operation, response.status, type), `${method} ${target}: ${response.status}`);
  const told = operation.responses[response.status];
  for (const name of Object.keys((told.$ref ? at(told.$ref) : told).headers ?? {}))
    assert.ok(response.headers.has(name), `${method} ${target}: ${response.status} without ${name}`);
  if (response.ok) asked.add(operation.operationId);
  return { status: response.status, answer };
}

const get = (template, target = template) => checked('GET', template, target);

/** It has to be done. */
async function post(template, target, body = {}, headers) {
  const { status, answer } = await checked('POST', template, target, body, headers);
  assert.ok(status < 300, `POST ${target}: ${JSON.stringify(answer)}`);
  return answer;
}

const submit = (id, workflow, payload, more = {}) => post('/v1/tasks', '/v1/tasks', { id, workflow, payload, ...more });
const task = async id => (await get('/v1/tasks/{id}', `/v1/tasks/${id}`)).answer.task;
const step = async (id, name) => (await task(id)).steps.find(s => s.name === name);

test('the document is OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document));
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.equal(document.openapi, '3.1.0');
});

const operations = () => Object.values(document.paths).flatMap(path => Object.values(path));

test('each operation says what refuses it, and each parameter and header what it means', () => {
  for (const o of operations()) {
    const always = o.security ? [] : ['401', '403', '408', '421', '429', '431', '500', '503'];
    for (const status of [...always, ...(o.requestBody ? ['413', '415'] : [])])
      assert.ok(at(o.responses[status].$ref).description, `${o.operationId} ${status}`);
    for (const p of o.parameters ?? []) assert.ok((p.$ref ? at(p.$ref) : p).description, `${o.operationId} ${p.name}`);
  }
  const headers = name => Object.keys(at(`#/components/responses/${name}`).headers ?? {});
  assert.deepEqual(['busy', 'too_many_requests'].map(headers), [['Retry-After'], ['Retry-After']]);
  assert.deepEqual(Object.keys(document.components.headers), ['Allow', 'ETag', 'Location', 'Retry-After']);
  assert.equal(document.components.securitySchemes.certificate.type, 'mutualTLS');
  const ofEvents = document.paths['/v1/events'].get.parameters.map(p => p.$ref ?? p.name);
  assert.ok(ofEvents.includes('#/components/parameters/Last-Event-ID'));
});

test('submissions, and what is wrong with them, are as the document says', async () => {
  const order = { workflow: 'order', payload: { customer: 'c-1' } };
  const put = (id, body, more = '') => checked('PUT', '/v1/tasks/{id}', `/v1/tasks/${id}${more}`, body);
  const made = await put('a', order, '?wait=10s');
  assert.equal(made.status, 201);
  assert.equal(made.answer.process_state, 'processed');
  assert.ok(made.answer.result.shipped);
  assert.equal((await put('a', order)).status, 200);
  assert.equal((await put('a', { ...order, payload: {} })).status, 409);
  assert.equal((await put('b', { workflow: 'none' })).status, 422);
  assert.equal((await put('b', { ...order, priority: 10 })).status, 400);
  await post('/v1/tasks', '/v1/tasks', order, { 'Idempotency-Key': 'c' });
  const batch = { tasks: [{ id: 'd', ...order }, { id: 'e' }] };
  const { results } = await post('/v1/tasks/batch', '/v1/tasks/batch', batch);
  assert.deepEqual(
    results.map(r => r.status),
    [201, 400],
  );
  await get('/v1/tasks/{id}/state', '/v1/tasks/a/state?wait=1s');
});

test('tasks that wait are told as the document says, and so is what ends their waits', async () => {
  await post('/v1/workflows', '/v1/workflows', { text: everything });
  const payload = { customer: 'c-1', sum: 5, vans: [1, 2] };
  await submit('every', 'everything', payload);
  await submit('fleet', 'fleet', { papers: {}, vans: [1, 2] });
  await submit('later', 'turn', { customer: 'c-1', ticket: 'later' }, { not_before_ms: Date.now() + 3_600_000 });
  await post('/v1/tasks/{id}/actions', '/v1/tasks/later/actions', { act: 'suspend' });
  assert.equal((await task('later')).resume_state, 'pending');
  service.moods.studio = { status: 202 };
  for (const id of ['deal', 'failed', 'skipped']) {
    service.tokens.studio = undefined;
    await submit(id, 'deal', { order: id });
    await until(async () => service.tokens.studio && (await step(id, 'render')).ends_later, 'a step that ends later');
    const token = service.tokens.studio;
    if (id !== 'deal') await post('/v1/steps/fail', '/v1/steps/fail', { token, error: 'no film' });
    else await post('/v1/steps/extend', '/v1/steps/extend', { token, progress: 'frame 40 of 96' });
    if (id !== 'deal') continue;
    assert.equal((await step('deal', 'render')).progress, 'frame 40 of 96');
    await post('/v1/steps/complete', '/v1/steps/complete', { token, result: { film: 1 } });
  }
  await post('/v1/events', '/v1/events', { event: 'paid', key: 'deal' }, { 'Idempotency-Key': 'e-1' });
  await post('/v1/events', '/v1/events', { event: 'paid', key: 'nobody', id: 'e-2' });
  await post('/v1/events', '/v1/events', { event: 'go', task: 'later' });
  await until(async () => (await step('deal', 'payment')).event > 0, 'the event');
  const asking = async () => (await get('/v1/approvals', '/v1/approvals?roles=sales')).answer.approvals;
  await until(async () => (await asking()).length > 1, 'questions');
  const answer = choice =>
    checked('POST', '/v1/tasks/{id}/approvals/{step}', '/v1/tasks/deal/approvals/approval', { choice });
  assert.equal((await answer('perhaps')).status, 409);
  assert.equal((await answer('ship')).status, 200);
  assert.ok((await asking()).every(q => q.id !== 'deal'));
  await until(async () => (await step('every', 'poll')).calls === 1, 'a call without the wanted result');
  await task('every');
  await until(async () => (await node.state('fleet')) === 'processed', 'the fleet');
  await get('/v1/tasks/{id}', '/v1/tasks/fleet');
  await get('/v1/tasks/{id}', `/v1/tasks/${(await step('fleet', 'papers')).child.replaceAll('/', '%2F')}`);
  await get('/v1/tasks/{id}/undo-plan', '/v1/tasks/fleet/undo-plan');
});

test('every question is answered as the document says', async () => {
  service.moods.shipping = { status: 422, body: { error: 'no' } };
  service.moods.payment_undo = { status: 400, body: { error: 'never' } };
  service.moods.printer = { status: 500, body: { error: 'on fire' } };
  await node.submit('w');
  await submit('x', 'label', {});
  const more = 'priority = 3\ncron = "0 4 * * *"\n';
  const text = `[[schedule]]\nname = "order"\nworkflow = "label"\n${more}`;
  await post('/v1/schedules', '/v1/schedules', { text });
  for (const act of ['run', 'pause'])
    await post('/v1/schedules/{name}/actions', '/v1/schedules/order/actions', { act, why: 'test' });
  const incidentOf = async id => (await get('/v1/incidents')).answer.incidents.find(i => i.sample_task === id);
  await until(() => incidentOf('w'), 'an incident');
  const { bulk } = await post('/v1/bulk-acts', '/v1/bulk-acts', { act: 'undo', workflow: 'label', why: 'test' });
  const incident = await incidentOf('w');
  const actor = (await node.get('/v1/actors')).actors.find(a => a.kind === 'agent');
  const values = { id: 'w', bulk, incident: incident.number, name: 'order' };
  for (const [template, operations] of Object.entries(document.paths)) {
    if (!operations.get || template.endsWith('/events')) continue;
    const named = template.startsWith('/v1/actors/') ? { id: actor.id } : values;
    const target = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named[name]));
    const { status } = await get(template, target);
    assert.equal(status, 200, target);
  }
  await get('/v1/workflows/{name}', '/v1/workflows/everything');
  const { answer } = await get('/v1/tasks', `/v1/tasks?incident=${incident.number}`);
  assert.ok(answer.tasks.some(t => t.id === incident.sample_task));
  const health = (await get('/v1/health')).answer;
  assert.ok(!health.well);
  assert.match(health.sentence, /since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
  await get('/v1/tasks/{id}', '/v1/tasks/none');
  await get('/v1/tasks', '/v1/tasks?colour=red');
  service.moods.orders = service.moods.payment_undo = { after: 2000 };
  await node.submit('slow');
  await post('/v1/tasks/{id}/actions', '/v1/tasks/a/actions', { act: 'undo' });
  const groups = ['processing', 'undoing'].map(state => `states_of_group.${state}`);
  await until(async () => {
    await get('/v1/counts', '/v1/counts?by=workflow');
    return groups.every(group => seen.has(group));
  }, 'a task that is processing, and one that is undoing');
  service.moods.orders = {};
  await get('/v1/schedules/{name}', '/v1/schedules/hourly');
  await get('/v1/tasks', '/v1/tasks?sort=id&max=1');
});

test('what is refused before it comes to a method is as the document says', async () => {
  const refused = async (name, target, request) => {
    const response = await fetch(node.url + target, request);
    const answer = await response.json();
    hold(answer, at(`#/components/responses/${name}`).content['application/problem+json'].schema, name);
    return [response.status, answer.code, response.headers.get('Allow')];
  };
  const body = '{}';
  const ofPut = (headers, more = {}) => ({ method: 'PUT', body, headers, ...more });
  assert.deepEqual(await refused('method_not_allowed', '/v1/tasks/q', { method: 'DELETE' }), [
    405,
    'method_not_allowed',
    'PUT, GET',
  ]);
  const encoded = await refused('unsupported_encoding', '/v1/tasks/q', ofPut({ 'Content-Encoding': 'gzip' }));
  assert.deepEqual(encoded, [415, 'unsupported_encoding', null]);
  const long = await refused('header_too_large', '/v1/tasks/q', ofPut({ 'X-Long': 'x'.repeat(20_000) }));
  assert.deepEqual(long, [431, 'header_too_large', null]);
  const first = await fetch(`${node.url}/v1/me`);
  const headers = { 'If-None-Match': first.headers.get('ETag') };
  assert.equal((await fetch(`${node.url}/v1/me`, { headers })).status, 304);
});

test('events are what the document says', async () => {
  const events = async (target, headers, last) => {
    const response = await fetch(node.url + target, { headers });
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    let text = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes(`event: ${last}\n`) && text.endsWith('\n\n')) break;
    }
    return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => [name, JSON.parse(data)]);
  };
  const schema = name => ({ $ref: `#/components/schemas/${name}` });
  const ofOne = await events('/v1/tasks/w/events', {}, 'task');
  assert.equal(ofOne.length, 1);
  for (const [, data] of ofOne) hold(data, schema('task_event'), 'events of a task');
  const ofAll = await events('/v1/events', { 'Last-Event-ID': '1-1-1-1-0' }, 'ended');
  assert.ok(ofAll.length > 2);
  for (const [name, data] of ofAll) hold(data, schema(name === 'gap' ? 'gap_event' : 'change_event'), name);
});

test('acts are answered as the document says', async () => {
  const act = (id, body) => checked('POST', '/v1/tasks/{id}/actions', `/v1/tasks/${id}/actions`, body);
  assert.equal((await act('w', { act: 'undo', dry_run: true })).status, 200);
  assert.equal((await act('x', { act: 'resume' })).status, 409);
  assert.equal((await act('none', { act: 'undo' })).status, 404);
  const { incidents } = await node.get('/v1/incidents');
  const [alert] = (await get('/v1/alerts')).answer.alerts;
  await post('/v1/alerts/{alert}/ack', `/v1/alerts/${alert.number}/ack`);
  for (const what of ['ack', 'mute'])
    await post('/v1/incidents/{incident}/actions', `/v1/incidents/${incidents[0].number}/actions`, { act: what });
  await get('/v1/incidents');
  await post('/v1/bulk-acts', '/v1/bulk-acts', { act: 'undo', dry_run: true });
  const { bulk } = await post('/v1/bulk-acts', '/v1/bulk-acts', { act: 'resume', why: 'test' });
  await until(
    async () => (await get('/v1/bulk-acts/{bulk}', `/v1/bulk-acts/${bulk}`)).answer.refusals.length > 0,
    'a refusal',
  );
  const rest = { workflow: 'label', payload: {}, not_before_ms: Date.now() + 3_600_000 };
  const tasks = Array.from({ length: 1000 }, (_, i) => ({ id: `rest-${i}`, ...rest })); // for 5 s of a bulk act
  await post('/v1/tasks/batch', '/v1/tasks/batch', { tasks });
  const long = await post('/v1/bulk-acts', '/v1/bulk-acts', { act: 'suspend', text: 'rest-', why: 'test' });
  await post('/v1/bulk-acts/{bulk}/stop', `/v1/bulk-acts/${long.bulk}/stop`, { why: 'test' });
  for (const open of [true, false]) await post('/v1/agents/{agent}/circuit', '/v1/agents/stock/circuit', { open });
  const wrong = async (where, text) => assert.equal((await checked('POST', where, where, { text })).status, 400);
  await wrong('/v1/workflows', 'name = 7');
  await wrong('/v1/schedules', '[[schedule]]\nname = 7');
  await post('/v1/webhooks/{webhook}/test', '/v1/webhooks/chat/test');
  assert.equal((await checked('POST', '/v1/webhooks/{webhook}/test', '/v1/webhooks/none/test', {})).status, 404);
});

test('the store and the nodes are looked after as the document says', async () => {
  const file = name => path.join(node.folder, name);
  await post('/v1/store/check', '/v1/store/check');
  await post('/v1/store/copy', '/v1/store/copy', { to: file('copy') });
  await post('/v1/store/export', '/v1/store/export', { id: 'a', to: file('a') });
  const other = await makeNode(service.port);
  try {
    await other.start();
    await other.submit('from-there');
    await other.post('/v1/store/export', { id: 'from-there', to: file('b') });
  } finally {
    await other.remove();
  }
  await post('/v1/store/import', '/v1/store/import', { from: file('b') });
  await post('/v1/leases/{name}/release', '/v1/leases/supervisor/release');
  await post('/v1/nodes/{node}/drain', '/v1/nodes/a/drain');
  await get('/v1/nodes');
});

test('every operation was done, and every member of an answer was seen', () => {
  const ofEvents = o => o.responses[200].content['text/event-stream'];
  const left = operations()
    .filter(o => !ofEvents(o) && !asked.has(o.operationId))
    .map(o => o.operationId);
  assert.deepEqual(left, []);
  const members = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    Object.keys(schema.properties ?? {}).map(member => `${name}.${member}`),
  );
  const unseen = members.filter(m => !seen.has(m) && !neverSeen.some(never => never.test(m)));
  assert.deepEqual(unseen, []);
  assert.deepEqual(
    neverSeen.filter(never => !members.some(m => never.test(m) && !seen.has(m))),
    [],
  );
});
