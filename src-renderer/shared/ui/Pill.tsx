import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export type PillTone = 'good' | 'warn' | 'bad' | 'muted'
const tones: Record<PillTone, string> = {
  good: 'bg-good-bg text-good',
  warn: 'bg-warn-bg text-warn',
  bad: 'bg-bad-bg text-bad',
  muted: 'bg-hover text-soft',
}

/** A state in one or two words. */
export function Pill({ tone, children }: { tone: PillTone; children: ReactNode }) {
  return (
    <span
      className={cx(
        'num inline-block whitespace-nowrap rounded-[4px] px-1.5 font-[560] text-s leading-[18px]',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
