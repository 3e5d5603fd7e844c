// What the methods of a node give (docs/control-channel.md, docs/cli.md#output), as far as the page reads it.

export const processStates = ['pending', 'processing', 'undoing', 'suspended', 'error', 'processed', 'undone'] as const;
export type ProcessState = (typeof processStates)[number];

export const taskActs = ['retry', 'skip', 'edit', 'undo', 'cancel', 'suspend', 'resume'] as const;
export type TaskAct = (typeof taskActs)[number];

export interface TaskSummary {
  id: string;
  number: number;
  workflow: string;
  version: number;
  process_state: ProcessState;
  cause: string;
  priority: number;
  locked_by: string;
  submitted_at: string;
  not_before: string | null;
  complete_by: string | null;
  ended_at: string | null;
  failure_count: number;
  revision: number;
  steps_done: number;
  steps_total: number;
}

export interface Attempt {
  attempt: number;
  action: 'do' | 'undo' | 'probe';
  agent: string;
  started_at: string;
  ended_at: string | null;
  outcome: string;
  note: string;
}

export type StepState =
  | 'not_started'
  | 'running'
  | 'completed'
  | 'failed'
  | 'unknown'
  | 'compensating'
  | 'compensated'
  | 'compensation_failed'
  | 'waiting'
  | 'skipped';

export interface Step {
  name: string;
  agent: string;
  state: StepState;
  after: string[];
  compensation: boolean;
  attempt: number;
  attempts_limit: number;
  doing: string | null;
  complete_by: string | null;
  completed_at: string | null;
  error: string;
  waiting_for: string;
  not_before: string | null;
  ends_later?: boolean;
  child?: string;
  child_workflow?: string;
  items_workflow?: string;
  progress?: string;
  waits_for_event?: string;
  event_key?: string;
  limit_at?: string | null; // of one that waits for an event or a person
  waits_for_role?: string;
  question?: string;
  choices?: string[];
  cool_offs: number;
  result: unknown;
  log_dropped: number;
  log: Attempt[];
}

export interface Act {
  at: string;
  who: string;
  what: string;
  why: string;
}

export interface Task extends Omit<TaskSummary, 'steps_done' | 'steps_total'> {
  lock_epoch: number;
  generation: number;
  takeovers: number;
  reply_to: string;
  acts: Act[];
  payload: unknown;
  content_type: string;
  result?: unknown;
  steps: Step[];
}

export interface Sentence {
  at: string | null;
  text: string;
}

export interface LateReply {
  at?: string;
  [name: string]: unknown;
}

export interface ShownTask {
  task: Task;
  explanation: Sentence[];
  late_replies?: LateReply[];
}

export interface TaskPage {
  tasks: TaskSummary[];
  next: number | string | null;
}

export interface Group {
  group: string | null;
  count: number;
  states: Partial<Record<ProcessState, number>>;
  oldest: string;
  newest: string;
}

export interface Counts {
  count: number;
  groups?: Group[];
}

export interface Incident {
  number: number;
  kind: string;
  is_condition: boolean;
  agent: string;
  workflow: string;
  step: string;
  cause: string;
  tasks: number;
  tasks_ever: number;
  alerts: number;
  times: number;
  first_at: string | null; // null: told while a store was opened, before there was a clock
  last_at: string | null;
  closed_at: string | null;
  sample_task: string;
  sample_text: string;
  acknowledged_by: string;
  acknowledged_at: string | null;
  muted: boolean;
  muted_until: string | null;
  acts: Act[];
}

export interface Alert {
  number: number;
  at: string;
  kind: string;
  task_id: string;
  step: string;
  text: string;
  acknowledged_by: string;
}

export interface ClusterNode {
  name: string;
  address: string;
  roles: string;
  agents: string[];
  alive: boolean;
  state: 'alive' | 'drained' | 'silent' | 'gone';
  drained: boolean;
  supervises: boolean;
  expires_at: string | null;
  certificate_until: string | null;
  epoch: number;
}

export interface NodeList {
  nodes: ClusterNode[];
  store_trouble: string | null;
}

export interface Wait {
  cause: string;
  tasks: number;
  longest: string;
  since: string | null;
  detail: string;
}

export interface Standstill {
  stuck: { id: string; process_state: ProcessState; why: string }[];
  waits: Wait[];
  scheduler_trouble: string | null;
}

/** What `health.show` tells. */
export interface Health extends NodeList, Standstill {
  well: boolean;
  sentence: string;
  incidents: Incident[];
  more_incidents: boolean;
}

/** Who asks. */
export interface Me {
  name: string;
  scopes: string[];
  workflows: string[]; // only their tasks; empty: all
  roles: string[]; // answers the questions to these
}

export interface Agent {
  name: string;
  node: string;
  answers: boolean;
  kind: string;
  service: string;
  circuit: string;
  circuit_open_until: string | null;
  circuit_held_open_by: string;
  lately_succeeded: number;
  lately_refused: number;
  lately_failed: number;
  p50_ms: number;
  p99_ms: number;
  in_flight: number;
  in_flight_max: number;
  queued: number;
  last_failure: string;
  last_failure_at: string | null;
  last_refusal: string;
  last_refusal_at: string | null;
}

export interface Silent {
  node: string;
  why: string;
}

export interface StoreStats {
  tasks: Record<ProcessState, number>;
  claimable: number;
  last_number: number;
  tasks_purged: number;
  bytes_used: number;
  bytes_max: number;
  bytes_reserve: number;
  disk_free: number;
  disk_size: number;
}

export interface Lease {
  name: string;
  holder: string;
  epoch: number;
  expires_at: string | null;
  note: string;
}

export interface Actor {
  id: string;
  kind: string;
  node: string;
  waiting: number;
  handled: number;
  per_second: number;
  last_message: string;
  last_took_us: number;
  busy_for_ms: number;
  answers: boolean;
  summary?: string;
  open: number;
  state?: unknown;
}

export interface BulkAct {
  number: number;
  act: string;
  step: string;
  where: string;
  who: string;
  why: string;
  state: 'open' | 'ended' | 'stopped';
  started_at: string;
  ended_at: string | null;
  about: number;
  done: number;
  refused: number;
  skipped: number;
  stopped_by: string;
  stopped_why: string;
}

export interface BulkPlan {
  act: string;
  count: number;
  looked_at: number;
  would: number;
  refusals: { why: string; tasks: number; sample: string }[];
  tasks: string[];
  undone?: { workflow: string; step: string; agent: string; tasks: number }[];
  left?: { workflow: string; step: string; why: string; tasks: number; sample: string }[];
}

export interface UndoPlan {
  refused: string;
  undone: { step: string; state: string; agent: string }[];
  left: { step: string; state: string; why: string }[];
}

export interface Retry {
  attempts: number;
  initial: string;
  factor: number;
  cap: string;
}

/** One that only waits has `sleep`, `until` or `wait`, and no agent. */
export interface DefinedStep {
  name: string;
  after: string[];
  sleep?: string;
  until?: string;
  wait?: { event: string };
  role?: string;
  workflow?: string;
  agent?: string;
  complete_by?: string;
  on_exhausted?: string;
  retry?: Retry;
  threshold?: number;
  cool_off?: { wait: string; count: number };
  compensation?: { agent: string };
  probe?: { agent: string };
  when?: unknown;
}

export interface Workflow {
  name: string;
  version: number;
  deadline: string;
  undo_reserve: string;
  index?: string[];
  steps: DefinedStep[];
}

/** What a step asks a person. */
export interface Question {
  id: string; // of the task
  workflow: string;
  step: string;
  role: string;
  question: string;
  choices: string[];
  since: string | null;
  limit_at: string | null;
}

export interface Schedule {
  name: string;
  workflow: string;
  version: number; // 0: the newest
  cron?: string;
  every_ms?: number;
  zone: string;
  overlap: string;
  jitter_ms: number;
  catch_up_ms: number;
  catch_up_max: number;
  priority?: number;
  file: string;
  is_paused: boolean;
  paused?: { by: string; why: string; at: string | null };
  next: string[];
  queued: string | null;
  last_task: string;
  tasks_made: number;
}

export interface ShownSchedule extends Schedule {
  payload: unknown;
  moment_as: string;
  text: string;
  moments: { moment: string; at: string | null; fate: string; text: string }[];
}

/** Something that happened and that nobody has reversed. */
export interface InPlace {
  task: string;
  workflow: string;
  process_state: ProcessState;
  step: string;
  agent: string;
  key: string;
  since: string | null;
  certain: boolean;
  why: string;
  failure: string;
}
