import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type App, busyAgentRequests, type GraceHours } from '../../../src-preload/contract/apps.ts'
import { suggestedModelMap } from '../../../src-preload/contract/modelMap.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { FormDialog } from '../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { useCall } from '../../shared/useCall.ts'
import { appsStore } from '../../stores/apps.ts'
import { useChat } from '../../stores/chat.ts'
import { mayChat, useModelFacts } from '../../stores/modelFacts.ts'
import { ModelMap, NameField, NewAppFields } from './AppFields.tsx'
import { AppTestStep } from './AppTestStep.tsx'
import { DialogFooter } from './EditDialog.tsx'
import { freshColour, newForm } from './form.ts'
import { OldKeys } from './programs/OldKeys.tsx'
import { Instructions, SetupPicker, SetupTitle, setupName } from './SetupPicker.tsx'
import { type Setup, setups } from './setups/index.ts'
import { submitting, useAppForm } from './useAppForm.ts'

/** The dialog's first view: the steps of a new app, the instructions of an existing app, or the replacement of its key. */
export type Connecting = { start: 'app'; app: null } | { start: 'key' | 'rotate'; app: App }

interface ConnectProps {
  onClose: () => void
  onTurnOn: () => void
  /** Replaces the key of the shown app. */
  onRotate: () => void
  /** Opens the settings of an app instead of this dialog. */
  onEdit: (app: App) => void
  baseUrl: string | null
  /** The preselected model of the instructions. */
  model: string | null
  bodyDays: number
}

type Step = 'app' | 'limits' | 'rotate' | 'key' | 'test'
const stepsOf: Record<Connecting['start'], readonly Step[]> = {
  app: ['app', 'limits', 'key', 'test'],
  key: ['key', 'test'],
  rotate: ['rotate', 'key', 'test'],
}
/** All steps of a new app have the height of the first, so that the dialog stays where it is. */
const heightOf: Partial<Record<Step, string>> = { app: '[&>form]:min-h-[min(516px,calc(100vh-236px))]' }

/** Connects an app in four steps: the app, its limits, its key with instructions, and a test. Nothing is created before "Create key". */
export function ConnectDialog({ connecting, ...props }: ConnectProps & { connecting: Connecting | null }) {
  const { t } = useTranslation('proxy')
  return (
    <FormDialog
      open={connecting !== null}
      onClose={props.onClose}
      title={connecting ? t(`connect.title.${connecting.start}`, { name: connecting.app?.name ?? '' }) : ''}
    >
      {connecting && <Wizard key={connecting.start} {...props} first={connecting} />}
    </FormDialog>
  )
}

function Wizard({ first: { start, app: existing }, ...props }: ConnectProps & { first: Connecting }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const [step, setStep] = useState<Step>(start)
  const named = existing && setups.find((one) => setupName(one) === existing.name)
  // For an app of another name, only the person knows which instructions fit.
  const [isListShown, setListShown] = useState(start !== 'app' && !named)
  const [graceHours, setGraceHours] = useState<GraceHours>(0)
  const [setup, setSetup] = useState<Setup>(named ?? firstSetup())
  const [created, setCreated] = useState<{ app: App; key: string } | null>(null)
  const formState = useAppForm(
    () => ({
      ...newForm(setupName(firstSetup()), freshColour(appsStore.getState().apps ?? [])),
      busyRequests: busyFor(firstSetup()),
    }),
    null,
  )
  useSuggestedModelMap(setup, props.model, formState)
  const { busy, problem, run, clear } = useCall()
  const element = useStepFocus(step)
  const app = created?.app ?? existing
  const pick = (next: Setup) => {
    // Does not overwrite a name that the person typed.
    if (formState.form.name.trim() === '' || formState.form.name === setupName(setup))
      formState.change({ name: setupName(next) })
    formState.change({ busyRequests: busyFor(next) })
    setSetup(next)
  }
  const goTo = (next: Step) => {
    clear()
    setStep(next)
  }
  const create = (call: () => Promise<{ app: App; key: string }>) =>
    run(async () => {
      setCreated(await call())
      setStep('key')
    })
  const add = () => {
    const settings = formState.read()
    if (settings) create(() => studio.apps.add(settings))
  }
  const { onEdit } = props
  const instructions = app && (
    <Instructions
      key={setup.id}
      setup={setup}
      baseUrl={props.baseUrl}
      secret={created?.key ?? null}
      app={app}
      model={props.model}
      onEdit={created ? null : () => onEdit(app)}
    />
  )
  const rotate = () => existing && create(() => studio.apps.rotate({ id: existing.id, graceHours }))
  return (
    <div ref={element} className={cx('flex flex-col gap-4', heightOf[start])}>
      <Steps all={stepsOf[start]} current={step} />
      {step === 'app' && (
        <AppStep {...formState} setup={setup} onPick={pick} onNext={() => goTo('limits')} onCancel={props.onClose} />
      )}
      {step === 'limits' && (
        <form ref={formState.element} noValidate className="flex flex-col gap-4" onSubmit={submitting(add)}>
          <NewAppFields {...formState} bodyDays={props.bodyDays} onChange={formState.change} />
          {problem && <ProblemNotice problem={problem} on={{ retry: add }} />}
          <StepFooter note={formState.hasErrors} next="createKey" busy={busy} onBack={() => goTo('app')} />
        </form>
      )}
      {step === 'rotate' && (
        <form className="flex flex-col gap-4" onSubmit={submitting(rotate)}>
          <GraceField value={graceHours} onPick={setGraceHours} />
          {problem && <ProblemNotice problem={problem} on={{ retry: rotate }} />}
          <StepFooter next="createKey" busy={busy} onCancel={props.onClose} />
        </form>
      )}
      {step === 'key' && app && (
        <form className="flex flex-col gap-4" onSubmit={submitting(() => goTo('test'))}>
          {created ? (
            <KeyOnce secret={created.key} baseUrl={props.baseUrl} />
          ) : (
            <PlaceholderNote name={app.name} onRotate={props.onRotate} />
          )}
          <OldKeys app={existing} replaced={created} />
          {!props.baseUrl && <ProxyOff onTurnOn={props.onTurnOn} />}
          {isListShown ? (
            <SetupPicker picked={setup} onPick={setSetup}>
              {instructions}
            </SetupPicker>
          ) : (
            <>
              {instructions}
              <Button size="small" className="self-start" onClick={() => setListShown(true)}>
                {t('setup.another')}
              </Button>
            </>
          )}
          <StepFooter next="test" onClose={props.onClose} />
        </form>
      )}
      {step === 'test' && app && (
        <form className="flex flex-col gap-4" onSubmit={submitting(props.onClose)}>
          {!props.baseUrl && <ProxyOff onTurnOn={props.onTurnOn} />}
          <AppTestStep app={app} since={created && !existing ? created.app.createdAt : null} onClose={props.onClose} />
          <StepFooter next="done" onBack={() => goTo('key')} />
        </form>
      )}
    </div>
  )
}

/** Fills in the model map that the chosen app needs, until the person changes it. */
function useSuggestedModelMap(
  setup: Setup,
  main: string | null,
  { form, change }: ReturnType<typeof useAppForm>,
): void {
  const listed = useChat((chat) => chat.models.models)
  const facts = useModelFacts()
  const filledIn = useRef(form.modelMap)
  const suggested = useMemo(() => {
    const chatModels = listed.map(({ id }) => id).filter((id) => mayChat(id, facts))
    return suggestedModelMap(setup.modelMap ?? [], main, chatModels)
  }, [setup, main, listed, facts])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new suggestion replaces the earlier one
  useEffect(() => {
    if (form.modelMap !== filledIn.current) return
    filledIn.current = suggested
    change({ modelMap: suggested })
  }, [suggested])
}

/** The notice about a busy app is on for coding agents. */
const busyFor = ({ kind }: Setup): string => (kind === 'agent' ? String(busyAgentRequests) : '')

function firstSetup(): Setup {
  const [first] = setups
  if (!first) throw new RangeError('There are no instructions.')
  return first
}

/** After a change of the step, focuses its first field, otherwise the step's title. */
function useStepFocus(step: Step) {
  const element = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    const fields = step === 'limits' || step === 'app' || step === 'rotate' ? 'input' : '[aria-current="step"]'
    element.current?.querySelector<HTMLElement>(fields)?.focus()
  }, [step])
  return element
}

function Steps({ all, current }: { all: readonly Step[]; current: Step }) {
  const { t } = useTranslation('proxy')
  return (
    <ol aria-label={t('connect.steps')} className="flex flex-wrap gap-x-4 gap-y-1 text-s">
      {all.map((step, index) => (
        <li
          key={step}
          tabIndex={-1}
          aria-current={step === current ? 'step' : undefined}
          className={cx('num rounded-s outline-none', step === current ? 'font-semibold text-ink' : 'text-faint')}
        >
          {t(`connect.step.${step}`, { number: index + 1 })}
        </li>
      ))}
    </ol>
  )
}

function AppStep(
  props: ReturnType<typeof useAppForm> & {
    setup: Setup
    onPick: (setup: Setup) => void
    onNext: () => void
    onCancel: () => void
  },
) {
  const { t } = useTranslation('proxy')
  const { setup, form } = props
  const named = form.name.trim() !== ''
  const next = () => {
    if (named && props.checkModelMap()) props.onNext()
  }
  return (
    <form ref={props.element} noValidate className="flex flex-col gap-4" onSubmit={submitting(next)}>
      <p className="text-soft">{t('connect.appAbout')}</p>
      <SetupPicker picked={setup} onPick={props.onPick}>
        <section aria-label={setupName(setup)} className="flex min-w-0 flex-col gap-4">
          <SetupTitle setup={setup} />
          <NameField form={form} errors={props.errors} onChange={props.change} />
          {setup.modelMap && <ModelMap form={form} errors={props.errors} onChange={props.change} />}
        </section>
      </SetupPicker>
      <StepFooter next="next" disabled={!named} onCancel={props.onCancel} />
    </form>
  )
}

/** The buttons of a step. Enter in a field presses the last button. */
function StepFooter(props: {
  next: 'next' | 'createKey' | 'test' | 'done'
  busy?: boolean
  disabled?: boolean
  /** Whether a field has an error. */
  note?: boolean
  onBack?: () => void
  /** Closes the dialog before a key was created. */
  onCancel?: () => void
  onClose?: () => void
}) {
  const { t } = useTranslation('proxy')
  return (
    <DialogFooter note={props.note ? t('form.bad.some') : null}>
      {props.onBack && (
        <Button disabled={props.busy ?? false} onClick={props.onBack}>
          {t('connect.back')}
        </Button>
      )}
      {props.onCancel && (
        <Button disabled={props.busy ?? false} onClick={props.onCancel}>
          {t('form.cancel')}
        </Button>
      )}
      {props.onClose && <Button onClick={props.onClose}>{t('connect.close')}</Button>}
      <Button variant="primary" type="submit" busy={props.busy ?? false} disabled={props.disabled ?? false}>
        {t(`connect.${props.next}`)}
      </Button>
    </DialogFooter>
  )
}

/** The key, and the address that contains it. */
function KeyOnce({ secret, baseUrl }: { secret: string; baseUrl: string | null }) {
  const { t } = useTranslation('proxy')
  return (
    <>
      <Notice kind="warn">{t('connect.keyOnce')}</Notice>
      <CopyRow value={secret} label={t('connect.key')} copy={t('connect.copyKey')} variant="primary" />
      {baseUrl !== null && (
        <>
          <CopyRow
            value={`${new URL(baseUrl).origin}/app/${secret}`}
            label={t('connect.keyAddress')}
            copy={t('connect.copyAddress')}
            variant="normal"
          />
          <p className="text-faint text-s">{t('connect.keyAddressAbout')}</p>
        </>
      )}
    </>
  )
}

function CopyRow(props: { value: string; label: string; copy: string; variant: 'primary' | 'normal' }) {
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-60">
        <Field label={props.label}>
          <TextInput mono readOnly value={props.value} onFocus={(event) => event.target.select()} />
        </Field>
      </div>
      <CopyButton variant={props.variant} className="h-8" text={props.value} name={props.copy} label={props.copy} />
    </div>
  )
}

function PlaceholderNote({ name, onRotate }: { name: string; onRotate: () => void }) {
  const { t } = useTranslation('proxy')
  return (
    <Notice kind="info" action={{ label: t('connect.newKey'), onClick: onRotate }}>
      {t('connect.keyGone', { name, placeholder: t('setup.placeholder') })}
    </Notice>
  )
}

const graces = [
  { name: 'now', hours: 0 },
  { name: 'hour', hours: 1 },
  { name: 'day', hours: 24 },
] as const

/** The time until the replaced key stops working. */
function GraceField({ value, onPick }: { value: GraceHours; onPick: (hours: GraceHours) => void }) {
  const { t } = useTranslation('proxy')
  const group = useId()
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-2 text-soft">{t('connect.rotateAbout')}</legend>
      {graces.map(({ name, hours }) => (
        <label key={hours} className="flex items-start gap-2">
          <input
            type="radio"
            name={group}
            className="mt-[3px] accent-accent"
            checked={value === hours}
            onChange={() => onPick(hours)}
          />
          <span>
            {t(`connect.grace.${name}`)}
            <span className="block text-faint text-s">{t(`connect.graceAbout.${name}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function ProxyOff({ onTurnOn }: { onTurnOn: () => void }) {
  const { t } = useTranslation('proxy')
  return (
    <Notice kind="warn" action={{ label: t('setup.turnOn'), onClick: onTurnOn }}>
      {t('setup.noAddress')}
    </Notice>
  )
}
