import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { endpoint } from '../../../src-preload/contract/requests.ts'
import { cx } from '../../shared/ui/cx.ts'
import { Checkbox, Field, InlineField, TextInput } from '../../shared/ui/Field.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { TextArea } from '../../shared/ui/TextArea.tsx'
import { Term, WithSc } from '../../shared/ui/WithSc.tsx'
import { Swatch } from './appearance.tsx'
import { type AppForm, type Budget, budgets, colours, type FormErrors, limits, localText, shownBack } from './form.ts'
import { ModelMapField } from './ModelMapField.tsx'
import { ModelsField } from './ModelsField.tsx'

export interface FieldsProps {
  form: AppForm
  errors: FormErrors
  bodyDays: number
  /** The field that has the focus first, if it is not the first one. */
  first?: Budget | undefined
  onChange: (change: Partial<AppForm>) => void
}

/** All settings of an app. */
export function AppFields(props: FieldsProps) {
  return (
    <>
      <Part>
        <div className="grid gap-3 sm:grid-cols-2">
          <NameField {...props} />
          <ExpiryField {...props} />
        </div>
        <ColourField {...props} />
      </Part>
      <NumberFields part="budgets" {...props} />
      <Asking {...props} />
      <ModelMap {...props} />
      <Access {...props} />
      <NumberFields part="limits" {...props} />
      <Tools {...props} />
      <Behaviour {...props} />
    </>
  )
}

/** The settings of a new app: its budgets, and everything else collapsed. */
export function NewAppFields(props: FieldsProps) {
  const { t } = useTranslation('proxy')
  const [isOpen, setOpen] = useState(false)
  const { errors } = props
  const hasHiddenError = Object.keys(errors).some((field) => !budgets.some((budget) => budget === field))
  useEffect(() => {
    if (hasHiddenError) setOpen(true)
  }, [hasHiddenError])
  return (
    <>
      <NumberFields part="budgets" {...props} />
      <details
        className="group"
        open={isOpen || hasHiddenError}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className="flex w-fit list-none items-center gap-1 rounded-s py-1 pe-1.5 font-[540] text-s text-soft hover:text-ink">
          <ChevronRight aria-hidden size={14} className="transition-transform group-open:rotate-90" />
          {t('form.more')}
        </summary>
        <div className="flex flex-col gap-4 pt-3">
          <Asking {...props} />
          <NumberFields part="limits" {...props} />
          <ModelMap {...props} />
          <Access {...props} />
          <Part title={t('form.appearance')}>
            <ExpiryField {...props} />
            <ColourField {...props} />
          </Part>
          <Tools {...props} />
          <Behaviour {...props} />
        </div>
      </details>
    </>
  )
}

/** The model map of an app. */
export function ModelMap({ form, errors, onChange }: Pick<FieldsProps, 'form' | 'errors' | 'onChange'>) {
  return (
    <Part>
      <ModelMapField
        rules={form.modelMap}
        allowed={form.anyModel ? null : form.models}
        isInvalid={errors.modelMap !== undefined}
        onChange={(modelMap) => onChange({ modelMap })}
      />
    </Part>
  )
}

function Part({ title, about, children }: { title?: string; about?: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3 pt-2 first:pt-0">
      {title && (
        <div>
          <h3 className="font-semibold">
            <WithSc text={title} />
          </h3>
          {about && <p className="text-faint text-s">{about}</p>}
        </div>
      )}
      {children}
    </section>
  )
}

/** The name of an app. */
export function NameField({ form, errors, onChange }: Pick<FieldsProps, 'form' | 'errors' | 'onChange'>) {
  const { t } = useTranslation('proxy')
  return (
    <Field label={t('form.name')} hint={t('form.nameHint')} error={errors.name ? t('form.bad.name') : null}>
      <TextInput
        maxLength={80}
        placeholder={t('form.placeholder')}
        value={form.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
    </Field>
  )
}

function ExpiryField({ form, errors, onChange }: FieldsProps) {
  const { t } = useTranslation('proxy')
  return (
    <Field
      label={t('form.expires')}
      hint={t('form.expiresHint')}
      error={errors.expires ? t('form.bad.expiresPast') : null}
    >
      <TextInput
        type="datetime-local"
        className="num"
        min={localText(new Date().toISOString())}
        value={form.expires}
        onChange={(event) => onChange({ expires: event.target.value })}
      />
    </Field>
  )
}

function ColourField({ form, onChange }: FieldsProps) {
  const { t } = useTranslation('proxy')
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-[540] text-s">{t('form.colour')}</legend>
      <div className="flex flex-wrap gap-1">
        {colours.map((colour) => (
          <label
            key={colour}
            className={cx(
              'flex items-center gap-1.5 rounded-m py-1 pe-2 ps-1.5 text-s has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent',
              form.colour === colour
                ? 'bg-pick text-ink shadow-[inset_0_0_0_1px_var(--accent)]'
                : 'text-soft hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name="colour"
              className="sr-only"
              checked={form.colour === colour}
              onChange={() => onChange({ colour })}
            />
            <Swatch colour={colour} />
            {t(`colours.${colour}`)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Access({ form, errors, onChange }: FieldsProps) {
  const { t } = useTranslation(['proxy', 'common'])
  const toggle = (name: (typeof endpoint.options)[number], on: boolean) =>
    onChange({ endpoints: endpoint.options.filter((one) => (one === name ? on : form.endpoints.includes(one))) })
  return (
    <Part title={t('form.access')}>
      <ModelsField
        any={form.anyModel}
        models={form.models}
        error={errors.models ? t('form.bad.models') : null}
        onChange={onChange}
      />
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="sr-only">{t('form.endpoints')}</legend>
        <InlineField label={t('form.endpoints')} className="justify-between">
          <Segmented
            label={t('form.endpoints')}
            value={form.anyEndpoint ? 'all' : 'some'}
            onChange={(picked) => onChange({ anyEndpoint: picked === 'all' })}
            segments={[
              { value: 'all', label: t('form.endpointsAll') },
              { value: 'some', label: t('form.endpointsSome') },
            ]}
          />
        </InlineField>
        {!form.anyEndpoint && (
          <div className="grid grid-cols-[repeat(auto-fill,minmax(120px,1fr))] gap-1.5">
            {endpoint.options.map((name) => (
              <Checkbox
                key={name}
                label={t(`common:endpoints.${name}`)}
                checked={form.endpoints.includes(name)}
                onChange={(event) => toggle(name, event.target.checked)}
              />
            ))}
          </div>
        )}
        {errors.endpoints && <div className="text-bad text-s">{t('form.bad.endpoints')}</div>}
      </fieldset>
    </Part>
  )
}

const numberParts = {
  limits: { names: limits, inputMode: 'numeric', none: 'form.noLimit', fault: 'form.bad.whole' },
  budgets: { names: budgets, inputMode: 'decimal', none: 'form.noBudget', fault: 'form.bad.amount' },
} as const

/** The optional numbers of an app: its limits or its budgets. */
function NumberFields({ part, form, errors, first, onChange }: FieldsProps & { part: keyof typeof numberParts }) {
  const { t } = useTranslation('proxy')
  const { names, inputMode, none, fault } = numberParts[part]
  return (
    <Part title={t(`form.${part}`)} about={t(`form.${part}About`)}>
      <div className="grid gap-3 sm:grid-cols-3">
        {names.map((name) => (
          <Field key={name} label={t(`form.${name}`)} error={errors[name] ? t(fault) : null}>
            <TextInput
              inputMode={inputMode}
              className="num"
              data-first={name === first || undefined}
              placeholder={t(none)}
              value={form[name]}
              onChange={(event) => onChange({ [name]: event.target.value })}
              onBlur={(event) => {
                const shown = shownBack(name, event.target.value)
                if (shown !== event.target.value) onChange({ [name]: shown })
              }}
            />
          </Field>
        ))}
      </div>
    </Part>
  )
}

/** When a person is asked, and when a notice says that the app is busy. */
function Asking({ form, errors, onChange }: FieldsProps) {
  const { t } = useTranslation('proxy')
  const amounts = ['askAbove', 'busyRequests', 'busySpend'] as const
  return (
    <Part title={t('form.asking')} about={t('form.askingAbout')}>
      <InlineField label={t('form.atBudget')} className="justify-between">
        <Segmented
          label={t('form.atBudget')}
          value={form.atBudget}
          onChange={(atBudget) => onChange({ atBudget })}
          segments={[
            { value: 'refuse', label: t('form.atBudgetRefuse') },
            { value: 'ask', label: t('form.atBudgetAsk') },
          ]}
        />
      </InlineField>
      <InlineField label={t('form.askNewModel')} className="justify-between">
        <Switch
          label={t('form.askNewModel')}
          checked={form.askNewModel}
          onChange={(askNewModel) => onChange({ askNewModel })}
        />
      </InlineField>
      <div className="grid items-end gap-3 sm:grid-cols-3">
        {amounts.map((name) => (
          <Field
            key={name}
            label={t(`form.${name}`)}
            error={errors[name] ? t(name === 'busyRequests' ? 'form.bad.whole' : 'form.bad.amount') : null}
          >
            <TextInput
              inputMode={name === 'busyRequests' ? 'numeric' : 'decimal'}
              className="num"
              placeholder={t('form.never')}
              value={form[name]}
              onChange={(event) => onChange({ [name]: event.target.value })}
              onBlur={(event) => onChange({ [name]: shownBack(name, event.target.value) })}
            />
          </Field>
        ))}
      </div>
    </Part>
  )
}

/** Whether an app may use the studio's MCP server, and its folders. */
function Tools({ form, errors, onChange }: FieldsProps) {
  const { t } = useTranslation('proxy')
  const fault = (error: FormErrors['toolInputs']) =>
    error === undefined ? null : t(error === 'folders' ? 'form.bad.folders' : 'form.bad.folder')
  return (
    <Part title={t('form.tools')} about={t('form.toolsAbout')}>
      <div className="flex items-start gap-4">
        <div className="min-w-0 flex-1 text-s">
          <div className="font-[540]">{t('form.toolsOn')}</div>
          <div className="text-faint">{t('form.toolsOnHint')}</div>
        </div>
        <Switch label={t('form.toolsOn')} checked={form.tools} onChange={(tools) => onChange({ tools })} />
      </div>
      {form.tools && (
        <>
          <Field label={t('form.toolOutput')} hint={t('form.toolOutputHint')} error={fault(errors.toolOutput)}>
            <TextInput
              mono
              spellCheck={false}
              placeholder={t('form.toolOutputNone')}
              value={form.toolOutput}
              onChange={(event) => onChange({ toolOutput: event.target.value })}
            />
          </Field>
          <Field label={t('form.toolInputs')} hint={t('form.toolInputsHint')} error={fault(errors.toolInputs)}>
            <TextArea
              mono
              rows={3}
              spellCheck={false}
              placeholder={t('form.toolInputsNone')}
              value={form.toolInputs}
              onChange={(event) => onChange({ toolInputs: event.target.value })}
            />
          </Field>
        </>
      )}
    </Part>
  )
}

function Behaviour({ form, bodyDays, onChange }: FieldsProps) {
  const { t } = useTranslation(['proxy', 'common'])
  const hints = {
    logBodies: t('form.logBodiesHint', { count: bodyDays }),
    retries: t('form.retriesHint'),
    failFast: t('form.failFastHint'),
    adaptRequests: t('form.adaptRequestsHint'),
  }
  return (
    <Part title={t('form.behaviour')}>
      {(['retries', 'failFast', 'adaptRequests', 'logBodies'] as const).map((name) => (
        <div key={name} className="flex items-start gap-4">
          <div className="min-w-0 flex-1 text-s">
            <div className="font-[540]">
              {name === 'logBodies' ? (
                <Term word={t('form.logBodies')} about={t('common:terms.loggedBodies')} />
              ) : (
                t(`form.${name}`)
              )}
            </div>
            <div className="text-faint">{hints[name]}</div>
          </div>
          <Switch label={t(`form.${name}`)} checked={form[name]} onChange={(on) => onChange({ [name]: on })} />
        </div>
      ))}
    </Part>
  )
}
