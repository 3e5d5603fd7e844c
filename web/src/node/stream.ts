import { parseExact } from '../core/exact';
import { awakened, lostSince, messageOf, Problem, send } from './client';

const firstPause = 500;
const longestPause = 5000;

export interface Heard {
  opened?: () => void;
  event: (data: unknown) => void | 'enough'; // then the stream ends, and another one begins with what comes after
  refused: (why: string) => void;
}

/**
 * Server-sent events from `path`, over lost connections, until what it returns is called or the node has no more. Not
 * while the page is hidden: a browser keeps six connections to a host, for all its tabs.
 */
export function listen(path: string, heard: Heard): () => void {
  const over = new AbortController();
  void (async () => {
    let last = '';
    let pause = firstPause;
    while (!over.signal.aborted) {
      if (document.hidden) await paused(longestPause, over.signal);
      if (document.hidden) continue;
      const round = new AbortController();
      const end = () => round.abort();
      over.signal.addEventListener('abort', end, { signal: round.signal });
      document.addEventListener('visibilitychange', end, { signal: round.signal });
      // A connection over which nothing comes is not seen to be dead: others find out that the node was away.
      const quiet = lostSince.watch(end);
      try {
        const headers: HeadersInit = last ? { 'Last-Event-ID': last } : {};
        const response = await send('GET', path, undefined, { signal: round.signal, headers });
        if (response.status === 204 || !response.body) return;
        pause = firstPause;
        heard.opened?.();
        const opened = Date.now();
        await read(response.body, (id, data) => {
          if (round.signal.aborted) return;
          last = id;
          if (heard.event(parseExact(data)) !== 'enough') return;
          last = '';
          pause = Math.max(0, opened + 1000 - Date.now());
          end();
        });
      } catch (e) {
        if (over.signal.aborted) return;
        const mayPass = !(e instanceof Problem) || e.status >= 500 || e.status === 401 || e.status === 429;
        if (!mayPass) return heard.refused(messageOf(e));
      } finally {
        quiet();
        end();
      }
      await paused(pause, over.signal);
      pause = Math.min(Math.max(firstPause, pause * 2), longestPause);
    }
  })();
  return () => over.abort();
}

async function read(body: ReadableStream<Uint8Array>, tell: (id: string, data: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n');
      const all = (name: string) =>
        lines.filter(l => l.startsWith(`${name}:`)).map(l => l.slice(name.length + 1).replace(/^ /, ''));
      const data = all('data');
      if (data.length > 0) tell(all('id').at(-1) ?? '', data.join('\n'));
    }
  }
}

/** Ends early when the connection is found to be back, and when the page is seen again. */
function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    const end = () => {
      clearTimeout(timer);
      quiet();
      done();
    };
    const timer = setTimeout(end, ms);
    const quiet = awakened.watch(end);
    signal.addEventListener('abort', end, { once: true });
  });
}
