import { useId, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { showKeys } from '../../../shared/commands/keys.ts'
import { useDesktop } from '../../../shared/desktop.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Checkbox, Field } from '../../../shared/ui/Field.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { isMac } from '../../../shared/ui/platform.ts'
import { Segmented } from '../../../shared/ui/Segmented.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { Spinner } from '../../../shared/ui/Spinner.tsx'
import { visibleText } from '../asText.ts'
import { asShown, branchOf, type ExportedMessage } from './conversation.ts'
import {
  chosenMessages,
  closeExport,
  type ExportState,
  type ExportStore,
  exportFormats,
  exportScopes,
  runExport,
  useExport,
} from './exports.ts'
import { authorOf, titleOf } from './labels.ts'

/** Messages that can be selected one by one: a list of more is of no use, and slow. */
const maxRows = 500

/** Exports a chat: which messages, and in which format. */
export function ExportDialog() {
  const { t } = useTranslation('exporting')
  const store = useExport()
  const { conversation, state } = store
  const chosen = useMemo(() => chosenMessages(store), [store])
  const count = asShown(chosen).length
  const isDesktop = useDesktop(({ client }) => client !== null)
  const isBusy = state.step === 'working'
  return (
    <Dialog
      open={store.conversationId !== null}
      onClose={closeExport}
      stayOnOutsideClick={isBusy}
      width="wide"
      title={conversation ? t('titleOf', { title: titleOf(conversation) }) : t('title')}
      footer={
        <>
          <Button onClick={closeExport}>{t('cancel')}</Button>
          <Button variant="primary" disabled={!conversation || isBusy || count === 0} onClick={() => void runExport()}>
            {t(store.format === 'pdf' && !isDesktop ? 'print' : 'export')}
          </Button>
        </>
      }
    >
      {conversation && <Choices store={store} chosen={chosen} isDesktop={isDesktop} disabled={isBusy} />}
      <Progress state={state} />
    </Dialog>
  )
}

interface ChoicesProps {
  store: ExportStore
  chosen: readonly ExportedMessage[]
  isDesktop: boolean
  disabled: boolean
}

function Choices({ store, chosen, isDesktop, disabled }: ChoicesProps) {
  const { t } = useTranslation('exporting')
  const { scope, format, reasoning, documents } = store
  const count = chosen.length
  const hasDocuments = chosen.some((message) => message.documents.length > 0)
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Segmented
          label={t('what')}
          value={scope}
          segments={exportScopes.map((value) => ({ value, label: t(value) }))}
          onChange={(picked) => useExport.setState({ scope: picked })}
        />
        <span className="num text-s text-soft" role="status">
          {count === 0 ? t('nothing') : t('count', { count })}
        </span>
      </div>
      {scope === 'selection' && <Rows store={store} />}
      <Field
        label={t('format')}
        hint={t(format === 'pdf' && isDesktop ? 'about.pdfFile' : `about.${format}`, {
          keys: showKeys('Mod+P', isMac),
        })}
      >
        <Select
          className="w-fit"
          value={format}
          choices={exportFormats.map((value) => ({
            value,
            label: t(value === 'pdf' && isDesktop ? 'pdfFile' : value),
          }))}
          onPick={(picked) => useExport.setState({ format: picked })}
        />
      </Field>
      {format !== 'markdown' && (
        <Checkbox
          label={t('withReasoning')}
          checked={reasoning}
          onChange={(event) => useExport.setState({ reasoning: event.target.checked })}
        />
      )}
      {hasDocuments && (
        <Checkbox
          label={t('withDocuments')}
          checked={documents}
          onChange={(event) => useExport.setState({ documents: event.target.checked })}
        />
      )}
    </fieldset>
  )
}

function Rows({ store: { conversation, selected } }: { store: ExportStore }) {
  const { t } = useTranslation('exporting')
  const id = useId()
  const branch = useMemo(() => (conversation ? asShown(branchOf(conversation)) : []), [conversation])
  const rows = branch.slice(-maxRows)
  const select = (ids: readonly string[]): void => useExport.setState({ selected: new Set(ids) })
  const toggle = (ids: readonly string[], isOn: boolean): void =>
    select(isOn ? [...selected, ...ids] : [...selected].filter((other) => !ids.includes(other)))
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2">
        <span id={id} className="flex-1 font-[520] text-s">
          {t('choose')}
        </span>
        <Button size="small" onClick={() => select(rows.flatMap(idsOf))}>
          {t('all')}
        </Button>
        <Button size="small" onClick={() => select([])}>
          {t('none')}
        </Button>
      </div>
      <ul
        aria-labelledby={id}
        className="flex max-h-64 flex-col gap-1 overflow-y-auto rounded-m p-2 shadow-[inset_0_0_0_1px_var(--line-strong)]"
      >
        {rows.map((parts) => (
          <li key={parts[0]?.id}>
            <Checkbox
              label={<Preview parts={parts} />}
              checked={parts.some(({ id }) => selected.has(id))}
              onChange={(event) => toggle(idsOf(parts), event.target.checked)}
            />
          </li>
        ))}
      </ul>
      {branch.length > rows.length && <p className="text-s text-soft">{t('onlyNewest', { most: maxRows })}</p>}
    </div>
  )
}

const idsOf = (parts: readonly ExportedMessage[]): string[] => parts.map(({ id }) => id)

function Preview({ parts }: { parts: readonly ExportedMessage[] }) {
  const [message] = parts
  if (!message) return null
  const said = parts.find(({ role, text }) => role !== 'tool' && text !== '')?.text
  const text = visibleText(
    (said || message.refusal || message.run?.name || message.toolCalls[0]?.name || '').slice(0, 200),
  )
  return (
    <span className="flex min-w-0 gap-2">
      <span className="shrink-0 font-[520]">{authorOf(message)}</span>
      <span className="min-w-0 truncate text-soft" dir="auto">
        {text}
      </span>
    </span>
  )
}

function Progress({ state }: { state: ExportState }) {
  const { t } = useTranslation('exporting')
  if (state.step === 'choose') return null
  if (state.step === 'failed') {
    return state.problem ? <ProblemNotice problem={state.problem} /> : <Notice kind="warn">{state.reason}</Notice>
  }
  const words =
    state.step === 'loading'
      ? t('loading')
      : state.done < state.all
        ? t('working', { done: state.done, all: state.all })
        : t('finishing')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2" role="status">
        <Spinner />
        <span className="num">{words}</span>
      </div>
      {state.step === 'working' && (
        <progress className="list-progress" aria-label={words} max={state.all} value={state.done} />
      )}
    </div>
  )
}
