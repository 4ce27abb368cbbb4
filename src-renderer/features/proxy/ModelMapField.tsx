import { ArrowDown, ArrowRight, ArrowUp, Plus, X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import {
  coveringRules,
  type ModelRule,
  maxModelRules,
  maxPatternLength,
} from '../../../src-preload/contract/modelMap.ts'
import { ModelSelect } from '../../shared/ModelField.tsx'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { TextInput } from '../../shared/ui/Field.tsx'
import { Term } from '../../shared/ui/WithSc.tsx'
import { useChat } from '../../stores/chat.ts'
import { isIncomplete, movedRule } from './modelMapForm.ts'

interface ModelMapProps {
  rules: readonly ModelRule[]
  /** The models that the app may use. Null: all. */
  allowed: readonly string[] | null
  /** Whether incomplete rules are marked. */
  isInvalid: boolean
  onChange: (rules: readonly ModelRule[]) => void
}

/** The rules of an app's model map, in order, with warnings about rules without effect. */
export function ModelMapField({ rules, allowed, isInvalid, onChange }: ModelMapProps) {
  const { t } = useTranslation(['proxy', 'common'])
  const list = useRef<HTMLOListElement>(null)
  const focusNext = useFocusAfterChange(list, rules)
  const covering = coveringRules(rules.map(({ pattern }) => pattern.trim()))
  const change = (index: number, part: Partial<ModelRule>) =>
    onChange(rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)))
  const move = (index: number, by: -1 | 1) => {
    focusNext(index + by, by < 0 ? 'up' : 'down')
    onChange(movedRule(rules, index, by))
  }
  const remove = (index: number) => {
    focusNext(Math.min(index, rules.length - 2), 'remove')
    onChange(rules.filter((_, at) => at !== index))
  }
  const add = () => {
    focusNext(rules.length, 'pattern')
    onChange([...rules, { pattern: '', model: '' }])
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="font-semibold">
        <Term word={t('form.modelMap')} about={t('common:terms.modelMap')} />
      </legend>
      <p className="text-faint text-s">{t('form.modelMapHint')}</p>
      {rules.length > 0 && (
        <ol ref={list} className="flex flex-col gap-2">
          {rules.map((rule, index) => (
            <Rule
              // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity besides their place in the order
              key={index}
              rule={rule}
              index={index}
              count={rules.length}
              covering={rule.pattern.trim() === '' ? null : (covering[index] ?? null)}
              allowed={allowed}
              isInvalid={isInvalid && isIncomplete(rule)}
              onChange={(part) => change(index, part)}
              onMove={(by) => move(index, by)}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      <Button size="small" icon={Plus} className="self-start" disabled={rules.length >= maxModelRules} onClick={add}>
        {t('form.addRule')}
      </Button>
    </fieldset>
  )
}

interface RuleProps {
  rule: ModelRule
  index: number
  count: number
  /** The index of an earlier rule that makes this one ineffective. */
  covering: number | null
  allowed: readonly string[] | null
  isInvalid: boolean
  onChange: (part: Partial<ModelRule>) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

function Rule({ rule, index, count, covering, allowed, isInvalid, ...on }: RuleProps) {
  const { t } = useTranslation('proxy')
  const note = useId()
  const listed = useChat((chat) => chat.models.models)
  const number = index + 1
  const model = rule.model.trim()
  const warnings: string[] = []
  if (covering !== null) warnings.push(t('form.ruleNeverUsed', { number: covering + 1 }))
  if (model !== '' && listed.length > 0 && !listed.some(({ id }) => id === model))
    warnings.push(t('form.ruleUnlisted', { model }))
  if (model !== '' && allowed !== null && !allowed.includes(model)) warnings.push(t('form.ruleNotAllowed', { model }))
  const hasNote = isInvalid || warnings.length > 0
  return (
    <li data-rule={index} className="flex min-w-0 flex-col gap-1">
      <div className="flex min-w-0 flex-wrap items-center gap-1.5">
        <div className="flex min-w-0 flex-1 basis-72 items-center gap-1.5">
          <TextInput
            mono
            data-part="pattern"
            className="h-7! flex-1"
            aria-label={t('form.rulePattern', { number })}
            aria-invalid={(isInvalid && rule.pattern.trim() === '') || undefined}
            aria-describedby={hasNote ? note : undefined}
            placeholder={t('form.rulePlaceholder')}
            maxLength={maxPatternLength}
            value={rule.pattern}
            onChange={(event) => on.onChange({ pattern: event.target.value })}
          />
          <ArrowRight aria-hidden size={14} className="shrink-0 text-faint rtl:rotate-180" />
          <RuleModel
            label={t('form.ruleModel', { number })}
            model={rule.model}
            describedBy={hasNote ? note : undefined}
            isInvalid={isInvalid && model === ''}
            onPick={(picked) => on.onChange({ model: picked })}
          />
        </div>
        <div className="flex shrink-0">
          <IconButton
            icon={ArrowUp}
            data-part="up"
            label={t('form.ruleUp', { number })}
            disabled={index === 0}
            onClick={() => on.onMove(-1)}
          />
          <IconButton
            icon={ArrowDown}
            data-part="down"
            label={t('form.ruleDown', { number })}
            disabled={index === count - 1}
            onClick={() => on.onMove(1)}
          />
          <IconButton icon={X} data-part="remove" label={t('form.ruleRemove', { number })} onClick={on.onRemove} />
        </div>
      </div>
      {hasNote && (
        <div id={note} className="flex flex-col text-s">
          {isInvalid && <span className="text-bad">{t('form.bad.modelMap')}</span>}
          {warnings.map((warning) => (
            <span key={warning} className="text-warn">
              {warning}
            </span>
          ))}
        </div>
      )}
    </li>
  )
}

/** The model of a rule: a choice from the service's list, or a text field while there is no list. */
function RuleModel(props: {
  label: string
  model: string
  describedBy: string | undefined
  isInvalid: boolean
  onPick: (model: string) => void
}): ReactNode {
  const { t } = useTranslation('proxy')
  const listed = useChat((chat) => chat.models.models)
  const common = {
    'data-part': 'model',
    'aria-invalid': props.isInvalid || undefined,
    'aria-describedby': props.describedBy,
  }
  if (listed.length === 0)
    return (
      <TextInput
        mono
        {...common}
        className="h-7! flex-1"
        aria-label={props.label}
        placeholder={t('form.ruleModelId')}
        maxLength={300}
        value={props.model}
        onChange={(event) => props.onPick(event.target.value)}
      />
    )
  return (
    <ModelSelect
      {...common}
      className="flex-1"
      label={props.label}
      value={props.model}
      onPick={props.onPick}
      first={props.model === '' ? [{ value: '', label: t('form.ruleChoose') }] : []}
    />
  )
}

/** Focuses a part of a rule after the next change, because a moved or removed rule takes the focused element with it. */
function useFocusAfterChange(list: RefObject<HTMLOListElement | null>, rules: readonly ModelRule[]) {
  const wanted = useRef<{ index: number; part: string } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each change of the rules
  useEffect(() => {
    const { current } = wanted
    wanted.current = null
    if (!current) return
    const rule = list.current?.querySelector(`[data-rule="${current.index}"]`)
    const parts = [current.part, 'up', 'down', 'remove'].map((part) =>
      rule?.querySelector<HTMLElement>(`[data-part="${part}"]:not(:disabled)`),
    )
    parts.find((part) => part)?.focus()
  }, [rules])
  return (index: number, part: 'pattern' | 'up' | 'down' | 'remove') => {
    wanted.current = { index, part }
  }
}
