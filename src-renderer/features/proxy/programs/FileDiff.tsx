import { useTranslation } from 'react-i18next'
import { cx } from '../../../shared/ui/cx.ts'

const tones: Readonly<Record<string, string>> = {
  '+': 'bg-good-bg text-good',
  '-': 'bg-bad-bg text-bad',
  '@': 'text-faint',
}

/** A unified diff of one file. The lines with its name are left out, because the file is named above. */
export function FileDiff({ diff }: { diff: string }) {
  const { t } = useTranslation('programs')
  const lines = diff.split('\n').filter((line) => !/^(?:--- |\+\+\+ |Index: |={3})/.test(line))
  if (lines.at(-1) === '') lines.pop()
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      aria-label={t('panel.diff')}
      dir="ltr"
      className="max-h-64 overflow-auto rounded-m bg-hover py-1.5 font-mono text-s leading-[1.6]"
    >
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text have no other identity and never move
        <div key={at} className={cx('whitespace-pre-wrap break-all px-3', tones[line[0] ?? ''])}>
          {line || ' '}
        </div>
      ))}
    </section>
  )
}
