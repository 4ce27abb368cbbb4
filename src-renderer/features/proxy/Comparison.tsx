import { diffWordsWithSpace } from 'diff'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { withMinus } from '../../../src-preload/contract/amountText.ts'
import type { RequestDetail, RequestRow } from '../../../src-preload/contract/requests.ts'
import { joinFacts } from '../../i18n/format.ts'
import { lessSc } from '../../shared/money/sc.ts'
import { cx } from '../../shared/ui/cx.ts'
import { count, showMs, showSc } from './figures.ts'
import { type RecordedCall, recordedReply } from './recorded.ts'
import { useRowTexts } from './rowMessages.ts'

/** Limits of a comparison of texts, so that it never blocks the page noticeably. */
const [maxEdits, maxMs] = [4_000, 250]

/** Two replies side by side: figures with their differences, texts with their changes marked, and tool calls. */
export function Comparison({ original, now }: { original: RequestDetail; now: RequestDetail }) {
  const { t } = useTranslation('proxy')
  const [before, after] = useMemo(
    () => [recordedReply(original.replyBody), recordedReply(now.replyBody)],
    [original.replyBody, now.replyBody],
  )
  return (
    <section aria-label={t('again.compare.title')} className="@container flex flex-col gap-4">
      <Figures before={original.row} after={now.row} />
      {before && after ? (
        <>
          {(before.reasoning !== '' || after.reasoning !== '') && (
            <Texts title={t('again.compare.reasoning')} before={before.reasoning} after={after.reasoning} />
          )}
          <Texts title={t('again.compare.text')} before={before.text} after={after.text} />
          <Calls before={before.calls} after={after.calls} />
        </>
      ) : (
        <p className="text-soft">{t('again.compare.notStored')}</p>
      )}
      {(original.replyBody?.capped || now.replyBody?.capped) && <p className="text-warn">{t('again.compare.part')}</p>}
    </section>
  )
}

interface Figure {
  id: string
  name: string
  before: string
  after: string
  /** Null when there is nothing to subtract. */
  change: string | null
}

const signed = (text: string): string => (/^[-\u2212>]/.test(text) || text === '0' ? withMinus(text) : `+${text}`)

function Figures({ before, after }: { before: RequestRow; after: RequestRow }) {
  const { t } = useTranslation('proxy')
  const { status } = useRowTexts()
  const none = '—'
  const words = (name: 'model' | 'result' | 'finish', a: string | null, b: string | null): Figure => ({
    id: name,
    name: t(`again.compare.${name}`),
    before: a ?? none,
    after: b ?? none,
    change: a === b ? t('again.compare.same') : null,
  })
  const number = (name: 'prompt' | 'cached' | 'reply', a: number | null, b: number | null): Figure => ({
    id: name,
    name: t(`again.compare.${name}`),
    before: a === null ? none : count(a),
    after: b === null ? none : count(b),
    change: a === null || b === null ? null : signed(count(b - a)),
  })
  const time = (name: 'firstByte' | 'duration', a: number | null, b: number | null): Figure => ({
    id: name,
    name: t(`again.compare.${name}`),
    before: a === null ? none : showMs(a),
    after: b === null ? none : showMs(b),
    change: a === null || b === null ? null : b < a ? `\u2212${showMs(a - b)}` : `+${showMs(b - a)}`,
  })
  const cost = ({ cost: amount, costIs }: RequestRow): string =>
    amount === null
      ? t('detail.usage.unknown')
      : joinFacts([showSc(amount), costIs === 'estimated' && t('log.estimated')])
  const figures: Figure[] = [
    words('model', before.model, after.model),
    words('result', status(before).words, status(after).words),
    words('finish', before.finishReason, after.finishReason),
    number('prompt', before.tokensIn, after.tokensIn),
    number('cached', before.tokensCached, after.tokensCached),
    number('reply', before.tokensOut, after.tokensOut),
    {
      id: 'cost',
      name: t('again.compare.cost'),
      before: cost(before),
      after: cost(after),
      change: before.cost === null || after.cost === null ? null : signed(showSc(lessSc(after.cost, before.cost))),
    },
    time('firstByte', before.firstByteMs, after.firstByteMs),
    time('duration', before.durationMs, after.durationMs),
  ]
  return (
    <table className="num w-full table-fixed text-s">
      <caption className="sr-only">{t('again.compare.figures')}</caption>
      <thead>
        <tr className="border-line border-b text-soft">
          <td className="py-1.5" />
          {(['original', 'now', 'difference'] as const).map((name) => (
            <th key={name} scope="col" className="py-1.5 text-end font-[520]">
              {t(`again.compare.${name}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {figures.map(({ id, name, before: a, after: b, change }) => (
          <tr key={id} className="border-line border-b">
            <th scope="row" className="py-1.5 pe-2 text-start font-normal text-soft">
              {name}
            </th>
            {[a, b, change ?? '—'].map((text, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: three columns in one order
              <td key={at} className={cx('break-words py-1.5 ps-2 text-end', at === 2 && 'text-soft')}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Two columns, or one below the other where there is no room. */
function Pair({ title, note, before, after }: { title: string; note: string; before: ReactNode; after: ReactNode }) {
  const { t } = useTranslation('proxy')
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="font-[540]">
        {title} <span className="ms-1 font-normal text-faint text-s">{note}</span>
      </h3>
      <div className="grid gap-3 @min-[560px]:grid-cols-2">
        {[before, after].map((content, at) => {
          const label = t(`again.compare.${at === 0 ? 'original' : 'now'}`)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns in one order
            <div key={at} className="min-w-0">
              <h4 className="text-s text-soft">{label}</h4>
              <section
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
                tabIndex={0}
                aria-label={`${title}: ${label}`}
                className="mt-1 max-h-64 overflow-auto rounded-m bg-hover p-2.5"
              >
                {content}
              </section>
            </div>
          )
        })}
      </div>
    </section>
  )
}

function Texts({ title, before, after }: { title: string; before: string; after: string }) {
  const { t } = useTranslation('proxy')
  const parts = useMemo(
    () => diffWordsWithSpace(before, after, { maxEditLength: maxEdits, timeout: maxMs }),
    [before, after],
  )
  const changes = parts?.filter(({ added, removed }) => added || removed).length ?? 0
  const note =
    before === after
      ? t('again.compare.sameText')
      : parts
        ? t('again.compare.words', { count: changes, figure: count(changes) })
        : t('again.compare.tooDifferent')
  const side = (text: string, shows: Change): ReactNode =>
    text === '' ? (
      <p className="text-soft">{t('again.compare.noText')}</p>
    ) : (
      <p className="whitespace-pre-wrap break-words">{parts ? <Marked parts={parts} shows={shows} /> : text}</p>
    )
  return <Pair title={title} note={note} before={side(before, 'removed')} after={side(after, 'added')} />
}

type Change = 'added' | 'removed'

const marks = {
  added: { Mark: 'ins', className: 'rounded-[3px] bg-good-bg text-good underline decoration-1 underline-offset-2' },
  removed: { Mark: 'del', className: 'rounded-[3px] bg-bad-bg text-bad line-through decoration-1' },
} as const

/** One of two compared texts: what both have, and what only this one has, marked. */
function Marked({ parts, shows }: { parts: ReturnType<typeof diffWordsWithSpace>; shows: Change }) {
  const { Mark, className } = marks[shows]
  return parts
    .filter((part) => part[shows] || (!part.added && !part.removed))
    .map((part, at) =>
      part[shows] ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
        <Mark key={at} className={className}>
          {part.value}
        </Mark>
      ) : (
        part.value
      ),
    )
}

function Calls({ before, after }: { before: readonly RecordedCall[]; after: readonly RecordedCall[] }) {
  const { t } = useTranslation('proxy')
  if (before.length === 0 && after.length === 0) return null
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  const list = (calls: readonly RecordedCall[], others: readonly RecordedCall[]): ReactNode =>
    calls.length === 0 ? (
      <p className="text-soft">{t('again.compare.noTools')}</p>
    ) : (
      <ol className="flex flex-col gap-2">
        {calls.map((call, at) => {
          const differs = JSON.stringify(call) !== JSON.stringify(others[at])
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a reply never change their order
            <li key={at} className="font-mono text-s">
              <span className="font-semibold">{call.name}</span>{' '}
              {differs && <span className="font-sans text-warn">{t('again.compare.differs')}</span>}
              <pre className="whitespace-pre-wrap break-words">{call.arguments}</pre>
            </li>
          )
        })}
      </ol>
    )
  return (
    <Pair
      title={t('again.compare.tools')}
      note={t(isSame ? 'again.compare.sameTools' : 'again.compare.otherTools')}
      before={list(before, after)}
      after={list(after, before)}
    />
  )
}
