import {
  Ban,
  Check,
  CircleQuestionMark,
  CircleX,
  FileX,
  Hand,
  Keyboard,
  LoaderCircle,
  type LucideIcon,
  Minus,
  PencilLine,
  Square,
  TimerOff,
  TriangleAlert,
} from 'lucide-react'
import type { ToolRun } from '../../../../src-preload/contract/chat.ts'

/** The state of a card: the run's state, or that there is no run. `error`: the tool returned an error. */
export type CardState = ToolRun['state'] | 'error' | 'writing' | 'not_run'

export const cardState = (run: ToolRun | null, writing: boolean): CardState => {
  if (run === null) return writing ? 'writing' : 'not_run'
  // The person's own tools do not run here: the call waits for a result.
  if (run.state === 'awaiting' && run.tool?.kind === 'function') return 'by_hand'
  return run.state === 'done' && run.isError ? 'error' : run.state
}

type Tone = 'ask' | 'good' | 'warn' | 'bad' | 'muted'

/** Icon and tone of each state. A text is always beside them. */
export const appearances: Record<CardState, { icon: LucideIcon; tone: Tone }> = {
  writing: { icon: PencilLine, tone: 'muted' },
  not_run: { icon: Minus, tone: 'muted' },
  awaiting: { icon: Hand, tone: 'ask' },
  by_hand: { icon: Keyboard, tone: 'ask' },
  running: { icon: LoaderCircle, tone: 'muted' },
  done: { icon: Check, tone: 'good' },
  error: { icon: TriangleAlert, tone: 'warn' },
  denied: { icon: Ban, tone: 'muted' },
  invalid: { icon: FileX, tone: 'bad' },
  unknown_tool: { icon: CircleQuestionMark, tone: 'bad' },
  stopped: { icon: Square, tone: 'muted' },
  timed_out: { icon: TimerOff, tone: 'warn' },
  failed: { icon: CircleX, tone: 'bad' },
}

export const toneInk: Record<Tone, string> = {
  ask: 'text-accent',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  muted: 'text-soft',
}
