// Submits a task over HTTP, follows it until it has ended, and prints what became of it.
// The token, if the node wants one, is in $STEADFAST_TOKEN.
//
//     npx openapi-typescript@7 http://127.0.0.1:7800/openapi.json -o api.d.ts
//     npx tsx@4 trip.ts http://127.0.0.1:7800 my-trip        (from node 22.18 on also: node trip.ts ...)
import type { components, paths } from './api.d.ts';

declare const process: { argv: string[]; env: Record<string, string | undefined>; exit(code: number): never };
type Body = NonNullable<paths['/v1/tasks/{id}']['put']['requestBody']>['content']['application/json'];
type Schemas = components['schemas'];

const [url, id] = process.argv.slice(2) as [string, string];
const path = `${url}/v1/tasks/${encodeURIComponent(id)}`;
const { STEADFAST_TOKEN: token } = process.env;
const end = (why: string): never => (console.error(why), process.exit(1));

/** Pushed back or without an answer, it asks again: the id makes that safe. */
async function ask(method: string, target: string, body?: Body, more = {}): Promise<Response> {
  const headers = { ...more, ...(token && { Authorization: `Bearer ${token}` }) };
  const sent = fetch(target, { method, headers, body: body ? JSON.stringify(body) : null });
  const answer = await sent.catch(({ cause }: { cause?: Error & { code?: string } }) => {
    if (/CERT|UNABLE|TLS|SSL|HPE/.test(cause?.code ?? '')) end(`${url}: ${cause}`); // and another try would not help
    console.error(`${cause}; trying again`);
  });
  if (answer?.ok) return answer;
  if (answer && ![429, 503, 504].includes(answer.status))
    end(((await answer.json().catch(() => null)) as Schemas['problem'])?.detail ?? `${target}: ${answer.status}`);
  await new Promise(again => setTimeout(again, Number(answer?.headers.get('Retry-After') ?? 1) * 1000));
  return ask(method, target, body, more);
}

/** Each state of the task, once, also when the connection is lost on the way. */
async function* states(target: string) {
  let [seen, answer] = [{}, await ask('GET', target)];
  // 204: it has ended, and that was seen.
  for (; answer.status !== 204; answer = await ask('GET', target, undefined, seen)) {
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
        yield (JSON.parse(data) as { task: Schemas['task'] }).task;
      }
    }
  }
}

void (async () => {
  const trip = { workflow: 'trip', payload: { guest: 'Ada', nights: 2, taxi: false } };
  console.log((await ask('PUT', path, trip)).status === 201 ? 'made' : 'it was there');
  for await (const task of states(`${path}/events`))
    console.log(task.process_state, ...task.steps.map(s => ` ${s.name} ${s.state}`));
})();
