import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { href, place, type Place } from './core/router';
import { clock } from './core/text';
import { useValue } from './core/value';
import { theToken, lostSince, takeToken, tokenWanted } from './node/client';
import { seen, watchProblem } from './node/watch';
import { Keys, sections, useKeys } from './parts/keys';
import { Prose } from './parts/prose';
import { TokenForm } from './parts/token_form';
import { ActorScreen, Actors } from './screens/actors';
import { Agents } from './screens/agents';
import { Approvals } from './screens/approvals';
import { BulkList, BulkScreen } from './screens/bulk';
import { InPlaceScreen } from './screens/in_place';
import { IncidentList, IncidentScreen } from './screens/incidents';
import { Nodes } from './screens/nodes';
import { Overview } from './screens/overview';
import { Schedules, ScheduleScreen } from './screens/schedules';
import { TaskScreen } from './screens/task';
import { Tasks } from './screens/tasks';
import { Workflows, WorkflowScreen } from './screens/workflows';

export function App() {
  const here = useValue(place);
  const why = useValue(tokenWanted);
  const [keysShown, setKeysShown] = useState(false);
  useKeys(useCallback(() => setKeysShown(true), []));
  const [section = '', which] = here.path;
  useTitle(here);
  const main = useFocusOnChange(here.path.join('/'));

  if (why !== null) return <TokenForm why={why} />;
  return (
    <>
      <a class="skip" href="#main" onClick={e => (e.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      <header class="top">
        <a class="brand" href={href([])}>
          Steadfast
        </a>
        <nav aria-label="Screens">
          {sections.map(([, name, title]) => (
            <a key={name} href={href(name ? [name] : [])} aria-current={section === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="tools">
          <Pulse />
          {theToken() !== null && (
            <button type="button" class="quiet" onClick={() => takeToken('')}>
              Forget the token
            </button>
          )}
          <button type="button" class="quiet" onClick={() => setKeysShown(true)} aria-label="Keys">
            ?
          </button>
        </span>
      </header>
      <Connection isOverview={section === ''} />
      <main id="main" ref={main} tabIndex={-1}>
        {screenOf(section, which)}
      </main>
      {keysShown && <Keys close={() => setKeysShown(false)} />}
    </>
  );
}

function screenOf(section: string, which: string | undefined) {
  switch (section) {
    case '':
      return (
        <>
          <h1 class="hidden">Overview</h1>
          <Overview />
        </>
      );
    case 'tasks':
      return which === undefined ? <Tasks /> : <TaskScreen key={which} id={which} />;
    case 'incidents':
      return which === undefined ? <IncidentList /> : <IncidentScreen key={which} number={which} />;
    case 'in-place':
      return <InPlaceScreen />;
    case 'workflows':
      return which === undefined ? <Workflows /> : <WorkflowScreen key={which} name={which} />;
    case 'agents':
      return <Agents />;
    case 'nodes':
      return <Nodes />;
    case 'actors':
      return which === undefined ? <Actors /> : <ActorScreen key={which} id={which} />;
    case 'bulk':
      return which === undefined ? <BulkList /> : <BulkScreen key={which} number={which} />;
    case 'approvals':
      return <Approvals />;
    case 'schedules':
      return which === undefined ? <Schedules /> : <ScheduleScreen key={which} name={which} />;
    default:
      return (
        <>
          <h1>There is no such screen</h1>
          <p>
            <a href={href([])}>To the overview</a>
          </p>
        </>
      );
  }
}

/** Whether all is well, on every screen. */
function Pulse() {
  const now = useValue(seen);
  const lost = useValue(lostSince);
  const isWell = now?.health.well;
  return (
    <span role="status">
      {now && lost === null && (
        <a href={href([])} class={`pulse ${isWell ? 'good' : 'bad'}`}>
          {isWell ? 'all is well' : 'needs attention'}
        </a>
      )}
    </span>
  );
}

/** Says that what is shown is old, and when it is not any more. The overview says of the store by itself. */
function Connection({ isOverview }: { isOverview: boolean }) {
  const trouble = useValue(seen)?.health.store_trouble;
  const lost = useValue(lostSince);
  const problem = useValue(watchProblem);
  const wasLost = useRef(false);
  const [isBack, setBack] = useState(false);
  useEffect(() => {
    if (lost !== null) {
      wasLost.current = true;
      setBack(false);
      return;
    }
    if (!wasLost.current) return;
    wasLost.current = false;
    setBack(true);
    const timer = setTimeout(() => setBack(false), 5000);
    return () => clearTimeout(timer);
  }, [lost]);
  return (
    <div role="status" class="connection">
      {lost !== null && (
        <p class="notice bad">Connection lost since {clock(lost)}, trying again. What you see is as it was then.</p>
      )}
      {lost === null && isBack && <p class="notice good">The connection is back.</p>}
      {lost === null && problem && <p class="notice bad">The node does not tell how it is: {problem}</p>}
      {lost === null && !problem && trouble && !isOverview && (
        <p class="notice bad">
          <Prose text={`${trouble}.`} /> What you see is as it was before.
        </p>
      )}
    </div>
  );
}

function useTitle(here: Place): void {
  const now = useValue(seen);
  const lost = useValue(lostSince);
  useEffect(() => {
    const what = here.path.at(-1) ?? 'overview';
    const state = lost !== null ? 'connection lost' : !now ? '' : now.health.well ? 'all is well' : 'needs attention';
    document.title = [what, state, 'Steadfast'].filter(Boolean).join(' - ');
  }, [here, lost, now?.health.well]);
}

/** A screen reader begins with the new screen, and so does the next press of Tab. */
function useFocusOnChange(screen: string) {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    if (isFirst.current) isFirst.current = false;
    else {
      // Unless the screen has given the focus to a field of its own.
      if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }, [screen]);
  return main;
}
