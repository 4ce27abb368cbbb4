import { type SyntheticEvent, useState } from 'react'
import type { ContextMeasure, ContextParts } from '../../../../src-preload/contract/context.ts'
import { showNamed } from '../../../i18n/format.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Meter } from '../../../shared/ui/Meter.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { figure } from '../messages.ts'
import { askToSummarise, includeAll, leaveOut, setContextLength } from './actions.ts'
import { fullness, levels, useMeasure } from './measure.ts'
import { type ContextTexts, useContextTexts } from './texts.ts'

const close = (): void => useStage.setState({ dialog: null })

/** The parts of the next request, the length of the context with its source, and the ways to make space. */
export function ContextDialog() {
  const t = useContextTexts()
  const open = useStage(({ dialog }) => dialog?.kind === 'context')
  const measure = useMeasure()
  return (
    <Dialog open={open} onClose={close} width="wide" title={t('title')} about={t('about')}>
      {measure ? (
        <>
          <p className="num">{sourceText(t, measure)}</p>
          <PartsTable measure={measure} />
          <Space measure={measure} />
          {measure.model !== null && (
            <LengthForm key={`${measure.model} ${measure.length.tokens}`} measure={measure} model={measure.model} />
          )}
        </>
      ) : (
        <p role="status">{t('measuring')}</p>
      )}
    </Dialog>
  )
}

/** Which figures the service has counted, and which are estimated. */
function sourceText(t: ContextTexts, { counted, isAdjusted }: ContextMeasure): string {
  if (counted !== null) return t('sourceCounted', { count: counted })
  return t(isAdjusted ? 'sourceAdjusted' : 'sourceEstimated')
}

const order: readonly (keyof ContextParts)[] = ['instructions', 'tools', 'files', 'history', 'message', 'reply']

function PartsTable({ measure }: { measure: ContextMeasure }) {
  const t = useContextTexts()
  const { parts, total, length } = measure
  const whole = Math.max(length.tokens ?? 0, total, 1)
  return (
    <table className="context-parts">
      <thead>
        <tr>
          <th scope="col">{t('part')}</th>
          <td />
          <th scope="col">{t('tokens')}</th>
        </tr>
      </thead>
      <tbody>
        {order.map((part) => (
          <tr key={part}>
            <th scope="row">{t(part)}</th>
            <td>
              <Meter label={t(part)} value={parts[part]} max={whole} level="good" className="context-bar" />
            </td>
            <td className="num">{part === 'reply' && parts.reply === 0 ? t('replyUnset') : figure(parts[part])}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('total')}</th>
          <td>
            <Meter
              label={t('total')}
              value={total}
              max={whole}
              level={levels[fullness(measure)]}
              className="context-bar"
            />
          </td>
          <td className="num">
            {length.tokens === null ? figure(total) : `${figure(total)} / ${figure(length.tokens)}`}
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

/** Leaves out or summarises the oldest messages, and includes those that are left out. */
function Space({ measure: { oldest, leftOut: gone } }: { measure: ContextMeasure }) {
  const t = useContextTexts()
  const isChat = useChat(({ open }) => open !== null)
  if (!isChat) return null
  return (
    <section className="context-space" aria-label={t('makeSpace')}>
      <h3>{t('makeSpace')}</h3>
      <p>
        {oldest ? (
          <WithSc text={showNamed(t('oldest', { count: oldest.messages }), t('usedOnly', { count: oldest.tokens }))} />
        ) : (
          t('nothingOld')
        )}
      </p>
      {oldest && (
        <div className="context-buttons">
          <Button onClick={() => void leaveOut(oldest.upTo, true, true)}>
            {t('leaveOutOldest', { count: oldest.messages })}
          </Button>
          <Button onClick={() => askToSummarise(oldest.upTo)}>{t('summariseOldest')}</Button>
        </div>
      )}
      {gone > 0 && (
        <div className="context-buttons">
          <span>{t('leftOut', { count: gone })}</span>
          <Button size="small" onClick={() => void includeAll()}>
            {t('includeAll')}
          </Button>
        </div>
      )}
    </section>
  )
}

/** The context length of a model: where it comes from, and a field to set it. */
function LengthForm({ measure: { length }, model }: { measure: ContextMeasure; model: string }) {
  const t = useContextTexts()
  const [typed, setTyped] = useState(length.from === 'person' ? String(length.tokens) : '')
  const [wrong, setWrong] = useState(false)
  const source = {
    person: t('fromPerson', { count: length.tokens ?? 0 }),
    service: t('fromService', { count: length.tokens ?? 0 }),
    unknown: t('fromUnknown'),
  }[length.from]
  const save = (event: SyntheticEvent): void => {
    event.preventDefault()
    const digits = typed.replace(/[\s,._']/g, '')
    const tokens = digits === '' ? null : Number(digits)
    const isValid = tokens === null || (/^\d{3,10}$/.test(digits) && tokens >= 128 && tokens <= 1_000_000_000)
    setWrong(!isValid)
    if (isValid) void setContextLength(model, tokens)
  }
  return (
    <section className="context-space" aria-label={t('lengthOf', { model })}>
      <h3>{t('lengthOf', { model })}</h3>
      <p>{source}</p>
      <form className="context-length" onSubmit={save}>
        <Field label={t('lengthLabel')} hint={t('lengthHint')} error={wrong ? t('lengthWrong') : undefined}>
          <TextInput
            inputMode="numeric"
            value={typed}
            maxLength={16}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        <Button type="submit">{t('saveLength')}</Button>
      </form>
    </section>
  )
}
