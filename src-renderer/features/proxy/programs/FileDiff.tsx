import { useTranslation } from 'react-i18next'
import { cx } from '../../../shared/ui/cx.ts'

const tones: Readonly<Record<string, string>> = {
  '+': 'bg-good-bg text-good',
  '-': 'bg-bad-bg text-bad',
  '@': 'text-faint',
}

const toneOf = (line: string): string | undefined =>
  line.startsWith('+++ ') ? 'pt-1 font-semibold text-ink' : tones[line[0] ?? '']

/** The files of a diff. Their paths may begin with `~`. */
const filesOf = (diff: string): string[] => diff.match(/^\+\+\+ .*$/gm)?.map((line) => line.slice(4)) ?? []

/** Whether a diff has changes of other files than the first one of its program. @param file its whole path */
export const changesOtherFiles = (file: string, diff: string): boolean =>
  filesOf(diff).some((name) => !file.replaceAll('\\', '/').endsWith(name.replace(/^~/, '')))

/** A unified diff. The name of the first file is left out when it is the only one, because it is above. */
export function FileDiff({ file, diff }: { file: string; diff: string }) {
  const { t } = useTranslation('programs')
  const hidden = changesOtherFiles(file, diff) ? /^(?:--- |Index: |={3})/ : /^(?:--- |\+\+\+ |Index: |={3})/
  const lines = diff.split('\n').filter((line) => !hidden.test(line))
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
        <div key={at} className={cx('whitespace-pre-wrap break-all px-3', toneOf(line))}>
          {line.replace(/^\+{3} /, '') || ' '}
        </div>
      ))}
    </section>
  )
}
