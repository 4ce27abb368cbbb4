import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { CopyButton } from '../../../shared/ui/CopyButton.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { figure } from '../messages.ts'
import type { Shown } from './show.ts'

/** Untrusted text, shown as plain text: of limited height, scrollable by keyboard, copied whole. */
export function HostileText(props: {
  shown: Shown
  whole: string
  label: string
  copy: string
  /** The message that the text belongs to, for "Find in chat". */
  resultOf?: string
}) {
  const t = useToolTranslate()
  const { shown } = props
  return (
    <div className="relative min-w-0">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form, and a section would be one landmark of many with one name */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label={props.label}
        className="max-h-56 min-h-9 overflow-auto rounded-m bg-panel py-2 ps-3 pe-10 shadow-[inset_0_0_0_1px_var(--line)]"
      >
        <pre
          dir="auto"
          data-result-of={props.resultOf}
          className="m-0 select-text whitespace-pre-wrap break-words font-mono text-ink text-s"
        >
          {shown.text}
        </pre>
        {shown.more > 0 && (
          <p className="pt-2 text-faint text-s">{t('text.more', { count: shown.more, size: figure(shown.more) })}</p>
        )}
      </div>
      <span className="absolute top-1 end-1">
        <CopyButton size="small" text={props.whole} name={props.copy} />
      </span>
    </div>
  )
}

/** An untrusted name, on one line. */
export function HostileName({ children, className }: { children: string; className?: string }) {
  return (
    <code
      dir="ltr"
      className={cx('min-w-0 truncate font-mono text-s [unicode-bidi:isolate]', className)}
      title={children}
    >
      {children}
    </code>
  )
}
