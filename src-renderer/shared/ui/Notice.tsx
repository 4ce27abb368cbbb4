import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { cx } from './cx.ts'

export type NoticeKind = 'info' | 'good' | 'warn' | 'bad'

const icons = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }
const tones: Record<NoticeKind, string> = {
  info: 'bg-hover text-soft',
  good: 'bg-good-bg text-good',
  warn: 'bg-warn-bg text-warn',
  bad: 'bg-bad-bg text-bad',
}

export interface NoticeProps {
  kind: NoticeKind
  title?: string
  children?: ReactNode
  action?: { label: string; onClick: () => void; busy?: boolean }
  /** Several buttons, in a row below the text. Instead of `action`. */
  buttons?: ReactNode
  /** Behind a "Details" button, for example the raw body of a response. */
  details?: { label: string; text: string }
  /** `alert` interrupts a screen reader: for what the person must know now. */
  role?: 'alert' | 'status' | 'note'
  className?: string
}

/** What happened, what it means, and what the person can do. */
export function Notice({ kind, title, children, action, buttons, details, role = 'note', className }: NoticeProps) {
  const Icon = icons[kind]
  // A text without a title begins at the middle of the button.
  const isBesideButton = action !== undefined && title === undefined
  return (
    <div role={role} className={cx('min-w-0 rounded-m px-3 py-2.5 text-s', tones[kind], className)}>
      <div className="flex flex-wrap items-start gap-x-2.5 gap-y-2">
        <Icon aria-hidden size={16} strokeWidth={1.75} className={cx('shrink-0', isBesideButton ? 'mt-1' : 'mt-px')} />
        <div className={cx('min-w-[min(180px,100%)] flex-1 basis-0', isBesideButton && 'pt-[3px]')}>
          {title && <div className="font-semibold">{title}</div>}
          {children && <div className={cx(title && 'mt-0.5 text-ink')}>{children}</div>}
          {buttons && <div className="mt-2 flex flex-wrap items-center gap-2 text-ink empty:hidden">{buttons}</div>}
          {details && (
            <details className="mt-1.5 text-soft">
              <summary className="w-fit rounded-s font-[520]">{details.label}</summary>
              <pre className="mt-1.5 max-h-48 overflow-auto whitespace-pre-wrap break-words rounded-s bg-raise p-2 font-mono text-ink text-s select-text">
                {details.text}
              </pre>
            </details>
          )}
        </div>
        {action && (
          <Button size="small" busy={action.busy ?? false} onClick={action.onClick} className="ms-auto text-ink">
            {action.label}
          </Button>
        )}
      </div>
    </div>
  )
}
