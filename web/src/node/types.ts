// What the methods of a node give. The types are made from its OpenAPI document: `npm run types` writes api.d.ts.

import type * as api from '../../api';

export const processStates = ['pending', 'processing', 'undoing', 'suspended', 'error', 'processed', 'undone'] as const;
export const taskActs = ['retry', 'skip', 'edit', 'undo', 'cancel', 'suspend', 'resume'] as const;

export type {
  Act,
  Actor,
  AgentListAnswer as ToldAgents,
  ActorShowAnswer as ShownActor,
  Alert,
  Attempt,
  BulkAct,
  Caller as Me,
  EffectInPlace as InPlace,
  Incident,
  Lease,
  ProcessState,
  Question,
  Schedule,
  ShownSchedule,
  SilentNode as Silent,
  Step,
  Task,
  TaskAct,
  TaskCountAnswer as Counts,
  TaskGroup as Group,
  TaskListAnswer as TaskPage,
  TaskPlanUndoAnswer as UndoPlan,
  TaskShowAnswer as ShownTask,
  TaskSummary,
  Wait,
  Workflow,
} from '../../api';

/** The document calls a list of numbers just a value. */
export type Node = Omit<api.Node, 'partitions'> & { partitions?: number[] };
export type Health = Omit<api.HealthShowAnswer, 'nodes'> & { nodes: Node[] };
export type StoreStats = Omit<api.StoreStatsAnswer, 'last_numbers'> & { last_numbers?: number[] };

/** Of an agent that does not answer no more is told than its name and its node. */
export const untold = {
  service: '',
  circuit: 'open',
  circuit_open_until: null,
  circuit_held_open_by: '',
  lately_succeeded: 0,
  lately_refused: 0,
  lately_failed: 0,
  p50_ms: 0,
  p99_ms: 0,
  in_flight: 0,
  in_flight_max: 0,
  queued: 0,
  last_failure: '',
  last_failure_at: null,
  last_refusal: '',
  last_refusal_at: null,
} as const satisfies Partial<api.Agent>;
export type Agent = api.Agent & Required<Pick<api.Agent, keyof typeof untold>>;

/** What an act answers, or would. */
export type ActAnswer = api.TaskActAnswer;
/** What a bulk act answers as a dry run. */
export type BulkPlan = Required<Omit<api.BulkStartAnswer, 'undone' | 'left'>> & api.BulkStartAnswer;
