import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import { unmappedPatterns } from '../../../src-preload/contract/modelMap.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { showNames } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { isComposing } from '../../shared/isComposing.ts'
import { ModelSelect } from '../../shared/ModelField.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Notice } from '../../shared/ui/Notice.tsx'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import { WithCode } from '../../shared/ui/WithCode.tsx'
import { useApps } from '../../stores/apps.ts'
import { useChat } from '../../stores/chat.ts'
import { mayChat, useModelFacts } from '../../stores/modelFacts.ts'
import { usePrograms } from '../../stores/programs.ts'
import { ConnectPanel } from './programs/ConnectPanel.tsx'
import type { AppTools } from './programs/ToolsChoice.tsx'
import { isLibrary, type Setup, type SetupStep, setups } from './setups/index.ts'
import type { Facts } from './setups/setup.ts'

export const setupName = ({ name }: Setup): string => name || i18n.t('appSetups:shellVariables')
const setupPlace = ({ where }: Setup): string => (where === undefined ? '' : i18n.t(`appSetups:where.${where}`))

const kinds = ['agent', 'editor', 'library', 'shell'] as const

interface SetupPickerProps {
  picked: Setup
  onPick: (setup: Setup) => void
  /** Content for the selected app, beside the list. */
  children: ReactNode
}

/** A searchable list of the apps with instructions, and beside it the content for the selected app. */
export function SetupPicker({ picked, onPick, children }: SetupPickerProps) {
  const { t } = useTranslation('proxy')
  const [search, setSearch] = useState('')
  const finds = (words: string) =>
    setups.filter((setup) =>
      [setupName(setup), setupPlace(setup), t(`setup.kinds.${setup.kind}`)]
        .join('\n')
        .toLowerCase()
        .includes(words.trim().toLowerCase()),
    )
  const found = finds(search)
  const type = (words: string) => {
    setSearch(words)
    // An app that the list no longer shows would be connected by mistake.
    const left = finds(words)
    if (left[0] && !left.some(({ id }) => id === picked.id)) onPick(left[0])
  }
  const pickFirst = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event)) return
    event.preventDefault()
    if (found[0]) onPick(found[0])
  }
  return (
    <div className="grid min-w-0 gap-4 sm:grid-cols-[168px_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-2">
        <SearchField
          className="h-8 rounded-m px-2 shadow-[inset_0_0_0_1px_var(--line-strong)] focus-within:shadow-[inset_0_0_0_2px_var(--accent)]"
          inputClassName="text-s"
          iconSize={14}
          iconStroke={1.75}
          label={t('setup.search', { count: setups.length })}
          value={search}
          onValue={type}
          onKeyDown={pickFirst}
        />
        <SetupList found={found} picked={picked.id} onPick={onPick} />
        {found.length === 0 && <p className="text-faint text-s">{t('setup.noMatch', { search: search.trim() })}</p>}
      </div>
      {children}
    </div>
  )
}

function SetupList({
  found,
  picked,
  onPick,
}: {
  found: readonly Setup[]
  picked: string
  onPick: (setup: Setup) => void
}) {
  const { t } = useTranslation('proxy')
  const { programs } = usePrograms()
  const isHere = (setup: Setup) => programs?.some(({ id, installed }) => id === setup.id && installed) === true
  // What is installed comes first: that is what most people look for.
  const groups = [
    { kind: 'here' as const, own: found.filter(isHere) },
    ...kinds.map((kind) => ({ kind, own: found.filter((setup) => setup.kind === kind && !isHere(setup)) })),
  ]
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const { activeElement } = document
    const at = activeElement instanceof HTMLButtonElement ? buttons.indexOf(activeElement) : -1
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus()
  }
  return (
    <nav
      aria-label={t('setup.list')}
      onKeyDown={walk}
      className="flex max-h-44 min-h-0 flex-col gap-px overflow-y-auto p-0.5 sm:max-h-[380px]"
    >
      {groups.map(({ kind, own }) => {
        if (own.length === 0) return null
        return (
          <div key={kind} className="flex flex-col gap-px pb-1.5">
            <h3 className="px-2 pt-1 pb-0.5 font-[560] text-faint text-s">{t(`setup.kinds.${kind}`)}</h3>
            {own.map((setup) => (
              <button
                key={setup.id}
                type="button"
                aria-current={setup.id === picked ? 'true' : undefined}
                onClick={() => onPick(setup)}
                className={cx(
                  'rounded-s px-2 py-1 text-start text-s transition-colors duration-100',
                  setup.id === picked ? 'bg-pick font-[540] text-accent' : 'text-ink hover:bg-hover',
                )}
              >
                {setupName(setup)}
                {setup.where && <span className="block font-normal text-faint text-s">{setupPlace(setup)}</span>}
              </button>
            ))}
          </div>
        )
      })}
    </nav>
  )
}

/** The title of an app's instructions. */
export function SetupTitle({ setup }: { setup: Setup }) {
  const { t } = useTranslation('proxy')
  return (
    <div className="min-w-0">
      <h3 className="font-semibold">
        {setupName(setup)}
        {setup.where && <span className="ms-1 font-normal text-soft">{setupPlace(setup)}</span>}
      </h3>
      <p className="text-faint text-s">{t(setup.verified ? 'setup.tested' : 'setup.untested')}</p>
    </div>
  )
}

interface InstructionsProps {
  setup: Setup
  baseUrl: string | null
  /** The app key, or null for a placeholder. */
  secret: string | null
  app: Pick<App, 'id' | 'models' | 'modelMap'> & AppTools
  /** The preselected model. */
  model: string | null
  /** Opens the settings of the app. Null while its key is shown, which would be lost. */
  onEdit: (() => void) | null
}

/** Whether the texts contain the chosen model. Some apps get their model only from the model map. */
const namesModel = (steps: readonly SetupStep[] | null, model: string): boolean =>
  steps?.some(({ text }) => text.includes(JSON.stringify(model).slice(1, -1))) === true

/** The texts of an app: those of a library are here, those of a program come from the core. Null until they came. */
function useSteps(setup: Setup, { baseUrl, key, model }: Facts, tools: boolean) {
  const studio = useStudio()
  const [steps, setSteps] = useState<readonly SetupStep[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    if (isLibrary(setup)) return
    let isCurrent = true
    studio.programs
      .steps({ program: setup.id, baseUrl, key, model, tools })
      .then((reply) => isCurrent && setSteps(reply.steps))
      .catch((thrown: unknown) => isCurrent && setProblem(problemOf(thrown)))
    return () => {
      isCurrent = false
    }
  }, [studio, setup, baseUrl, key, model, tools])
  if (!isLibrary(setup)) return { steps, problem }
  return { steps: setup.steps({ baseUrl, key, model }).map((step) => ({ ...step, file: null })), problem: null }
}

/** The instructions of one app, with the address, the key (a placeholder when unknown) and a model. */
export function Instructions({ setup, baseUrl, secret, ...props }: InstructionsProps) {
  const { t } = useTranslation(['proxy', 'appSetups'])
  const listed = useChat((chat) => chat.models.models)
  const abilities = useModelFacts()
  const models = (props.app.models ?? listed.map(({ id }) => id)).filter((id) => mayChat(id, abilities))
  const unmapped = unmappedPatterns(setup.modelMap ?? [], props.app.modelMap)
  const { programs, connected } = usePrograms()
  const program = programs?.find(({ id, file }) => id === setup.id && file !== null)
  const connection = connected.find((one) => one.program === setup.id && one.appId === props.app.id)
  // As the app is now: Connect may allow tools.
  const app = useApps()?.find(({ id }) => id === props.app.id) ?? props.app
  const [pickedTools, setPickedTools] = useState<boolean | null>(null)
  const tools = program?.canUseTools === true && (pickedTools ?? connection?.tools ?? app.tools)
  const [chosen, setChosen] = useState<string | null>(null)
  const preselected = props.model !== null && models.includes(props.model) ? props.model : (models[0] ?? props.model)
  const model = chosen ?? preselected
  const facts = {
    baseUrl: baseUrl ?? '',
    key: secret ?? t('setup.placeholder'),
    model: model ?? t('setup.modelPlaceholder'),
  }
  const { steps, problem } = useSteps(setup, facts, tools)
  if (!baseUrl) return <Notice kind="info">{t('setup.noAddress')}</Notice>
  const lines = (
    <>
      {problem && <ProblemNotice problem={problem} />}
      {steps?.map(({ about, packages, file, text }) => (
        <div key={`${about} ${file ?? ''}`} className="min-w-0 overflow-hidden rounded-m bg-hover">
          <div className="flex items-start gap-2 py-1 pe-1 ps-3 text-s">
            <span className="min-w-0 flex-1 py-[3px]">
              <WithCode text={t(`appSetups:steps.${about}`, { packages })} />
              {file && <code className="block break-all font-mono text-soft text-s">{file}</code>}
            </span>
            <CopyButton
              size="small"
              text={text}
              name={t('setup.copy', { about: t(`appSetups:steps.${about}`, { packages }).replaceAll('`', '') })}
            />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} className="max-h-72 overflow-auto px-3 pb-2.5 font-mono text-s leading-[1.6]">
            {text}
          </pre>
        </div>
      ))}
    </>
  )
  return (
    <section aria-label={setupName(setup)} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <SetupTitle setup={setup} />
        {model !== null && models.length > 1 && namesModel(steps, model) && (
          <ModelSelect label={t('setup.model')} value={model} onPick={setChosen} className="max-w-44" among={models} />
        )}
      </div>
      {program && model !== null ? (
        <ConnectPanel {...{ program, app, secret, model, tools, lines }} onTools={setPickedTools} />
      ) : (
        lines
      )}
      {unmapped.length > 0 && (
        <Notice
          kind="warn"
          {...(props.onEdit ? { action: { label: t('apps.menu.edit'), onClick: props.onEdit } } : {})}
        >
          {t('setup.unmapped', { name: setupName(setup), patterns: showNames(unmapped) })}
        </Notice>
      )}
      {setup.note && (
        <p className="text-s text-soft">
          <WithCode text={t(`appSetups:notes.${setup.note}`)} />
        </p>
      )}
    </section>
  )
}
