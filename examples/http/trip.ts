// Submits a task over HTTP, follows it until it ends, and prints the outcome. The token is in $STEADFAST_TOKEN.
//
//     npx openapi-typescript@7 http://127.0.0.1:7800/openapi.json -o api.d.ts
//     node trip.ts http://127.0.0.1:7800 my-trip        (node 22.18 or later)
import type { components, paths } from './api.d.ts';

declare const process: { argv: string[]; env: Record<string, string>; exit(code: number): never };
type Body = NonNullable<paths['/v1/tasks/{id}']['put']['requestBody']>['content']['application/json'];
type Problem = components['schemas']['problem'];
type Task = { process_state: string; steps: { name: string; state: string }[] };

const [url, id] = process.argv.slice(2) as [string, string];
const path = `${url}/v1/tasks/${encodeURIComponent(id)}`;
const token: Record<string, string> = process.env.STEADFAST_TOKEN
  ? { Authorization: `Bearer ${process.env.STEADFAST_TOKEN}` }
  : {};

/** Pushed back or without an answer, it asks again: the id makes that safe. */
async function ask(method: string, target: string, body?: Body, more = {}): Promise<Response> {
  const request = { method, headers: { ...token, ...more }, body: body ? JSON.stringify(body) : null };
  const answer = await fetch(target, request).catch((e: Error) => console.error(`${e.cause ?? e}; trying again`));
  if (answer?.ok) return answer;
  if (answer && ![429, 503, 504].includes(answer.status)) {
    console.log(((await answer.json()) as Problem).detail);
    process.exit(1);
  }
  await new Promise(again => setTimeout(again, Number(answer?.headers.get('Retry-After') ?? 1) * 1000));
  return ask(method, target, body, more);
}

/** Each state of the task, once, also when the connection is lost on the way. */
async function* states(target: string): AsyncGenerator<Task> {
  for (let seen = {}; ;) {
    const answer = await ask('GET', target, undefined, seen);
    if (answer.status === 204) return; // it has ended, and that was seen
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ;) {
      const piece = await reader.read().catch(() => ({ done: true, value: '' })); // the connection was lost
      if (piece.done) break;
      const events = (text + piece.value).split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const [, last, data] = /^id: (.*)\nevent: task\ndata: (.*)$/.exec(event) ?? [];
        if (!data) continue; // a sign of life
        seen = { 'Last-Event-ID': last };
        yield (JSON.parse(data) as { task: Task }).task;
      }
    }
  }
}

const trip: Body = { workflow: 'trip', payload: { guest: 'Ada', nights: 2, taxi: false } };
console.log((await ask('PUT', path, trip)).status === 201 ? 'made' : 'it was there');
for await (const task of states(`${path}/events`))
  console.log(task.process_state, ...task.steps.map(s => ` ${s.name} ${s.state}`));
