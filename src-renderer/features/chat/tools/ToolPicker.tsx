import { useId, useState } from 'react'
import type { ToolSelection } from '../../../../src-preload/contract/chat.ts'
import { navigate } from '../../../shared/navigation.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { plainText } from '../../../shared/ui/plainText.ts'
import { raisedSearch, SearchField } from '../../../shared/ui/SearchField.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { Switch } from '../../../shared/ui/Switch.tsx'
import { useTools } from '../../../stores/tools.ts'
import { type Offer, type OfferGroup, offeredNow, offerGroups, searchOffers, switched } from './offers.ts'
import { saveToolUse, useToolUse } from './setup.ts'

/** From this number of tools on, a search field appears. */
const many = 8

/** Selects the tools that the chat offers to the model, and how the model may use them. */
export function ToolPicker() {
  const t = useToolTranslate()
  const tools = useTools((store) => store.tools)
  const problem = useTools((store) => store.problem)
  const use = useToolUse()
  const [search, setSearch] = useState('')
  if (!tools) return <p className="text-s text-soft">{problem ? problem.message : t('pick.loading')}</p>
  const all = offerGroups(tools, use.enabled)
  const count = all.reduce((sum, { offers }) => sum + offers.length, 0)
  if (all.length === 0) return <NoTools />
  const groups = searchOffers(all, count > many ? search : '')
  return (
    <div className="flex flex-col gap-3">
      {count > many && (
        <SearchField
          className={cx('h-8 px-2.5', raisedSearch)}
          iconSize={13}
          label={t('pick.search')}
          value={search}
          onValue={setSearch}
        />
      )}
      {groups.length === 0 && <p className="text-faint text-s">{t('pick.noMatch', { search: search.trim() })}</p>}
      {groups.map((group) => (
        <Group key={group.key} group={group} enabled={use.enabled} />
      ))}
      <How use={use} offered={offeredNow(all, use.enabled)} />
    </div>
  )
}

const toSettings = () => navigate({ page: 'settings', id: 'tools' })

function NoTools() {
  const t = useToolTranslate()
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-s text-soft">{t('pick.none')}</p>
      <Button size="small" onClick={toSettings}>
        {t('pick.add')}
      </Button>
    </div>
  )
}

function Group({ group, enabled }: { group: OfferGroup; enabled: readonly string[] }) {
  const t = useToolTranslate()
  const heading = useId()
  const { server, offers } = group
  const usable = offers.filter(({ fault }) => fault === null)
  const on = offers.filter(({ id }) => enabled.includes(id))
  const name = server ? plainText(server.name) : t(group.key === 'gone' ? 'pick.deletedTools' : 'pick.own')
  const set = (tools: { id: string }[], yes: boolean) =>
    saveToolUse({
      enabled: switched(
        enabled,
        tools.map(({ id }) => id),
        yes,
      ),
    })
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-1">
      <div className="flex min-h-6 items-center gap-1">
        <h3 id={heading} className="min-w-0 truncate font-[540] text-s">
          {name}
        </h3>
        {offers.length > 0 && (
          <span className="num text-faint text-s">{t('pick.count', { on: on.length, all: offers.length })}</span>
        )}
        <span className="ml-auto" />
        {usable.length > 1 && (
          <Button
            size="small"
            variant="plain"
            disabled={usable.every(({ id }) => enabled.includes(id))}
            aria-label={t('pick.allOf', { name })}
            onClick={() => set(usable, true)}
          >
            {t('pick.all')}
          </Button>
        )}
        {offers.length > 1 && (
          <Button
            size="small"
            variant="plain"
            disabled={on.length === 0}
            aria-label={t('pick.noneOf', { name })}
            onClick={() => set(on, false)}
          >
            {t('pick.noTool')}
          </Button>
        )}
      </div>
      {server && (server.state !== 'ready' || offers.length === 0) && (
        <div className="flex flex-wrap items-center gap-2 text-s text-soft">
          <span className="min-w-0 flex-1">
            {server.state === 'ready' ? t('pick.empty') : t(`pick.server.${server.state}`)}
          </span>
          {server.state !== 'starting' && (
            <Button size="small" onClick={toSettings}>
              {t('pick.open')}
            </Button>
          )}
        </div>
      )}
      <ul className="flex flex-col">
        {offers.map((offer) => (
          <OfferRow
            key={offer.id}
            offer={offer}
            on={enabled.includes(offer.id)}
            onChange={(yes) => set([offer], yes)}
          />
        ))}
      </ul>
    </section>
  )
}

function OfferRow({ offer, on, onChange }: { offer: Offer; on: boolean; onChange: (on: boolean) => void }) {
  const t = useToolTranslate()
  const name = plainText(offer.name)
  const { fault } = offer
  const about = plainText(offer.title ?? offer.description)
  return (
    <li className="flex items-start gap-2 py-1">
      <div className="min-w-0 flex-1">
        <code dir="ltr" className="block truncate font-mono text-s [unicode-bidi:isolate]" title={name}>
          {name}
        </code>
        {about !== '' && (
          <span className="block truncate text-faint text-s" title={plainText(offer.description)}>
            {about}
          </span>
        )}
        {fault && (
          <span className="block text-warn text-s">
            {fault.why === 'schema'
              ? t('pick.fault.schema', { words: plainText(fault.words) })
              : t(`pick.fault.${fault.why}`)}
          </span>
        )}
        {!fault && offer.readOnly !== true && offer.destructive === true && (
          <span className="block text-faint text-s">{t('pick.destructive')}</span>
        )}
      </div>
      {/* A tool that cannot be offered can still be switched off. */}
      <Switch label={t('pick.switch', { name })} checked={on} disabled={fault !== null && !on} onChange={onChange} />
    </li>
  )
}

/** `tool_choice` and `parallel_tool_calls`. */
function How({ use, offered }: { use: ToolSelection; offered: readonly Offer[] }) {
  const t = useToolTranslate()
  const { choice, parallel } = use
  const named = typeof choice === 'object' ? choice.name : null
  const names = [...new Set([...offered.map(({ name }) => name), ...(named === null ? [] : [named])])]
  const missing = named !== null && !offered.some(({ name }) => name === named)
  const pickChoice = (picked: string) =>
    saveToolUse({
      choice:
        picked === 'auto' || picked === 'none' || picked === 'required' ? picked : { name: picked.replace(/^=/, '') },
    })
  const noTools = offered.length === 0
  return (
    <div className="flex flex-col gap-2 border-line border-t pt-3">
      <div className="flex items-center gap-3 text-s">
        <span className="min-w-0 flex-1 text-soft">{t('how.choice')}</span>
        <Select
          label={t('how.choice')}
          className="max-w-40"
          value={typeof choice === 'string' ? choice : `=${choice.name}`}
          choices={[
            { value: 'auto', label: t('how.auto') },
            { value: 'none', label: t('how.none') },
            { value: 'required', label: t('how.required') },
            ...names.map((name) => ({ value: `=${name}`, label: t('how.named', { name: plainText(name) }) })),
          ]}
          onPick={pickChoice}
        />
      </div>
      {missing && <p className="text-warn text-s">{t('how.unavailable', { name: plainText(named) })}</p>}
      {!missing && choice === 'required' && noTools && <p className="text-warn text-s">{t('how.noToolOn')}</p>}
      <div className="flex items-center gap-3 text-s">
        <span className="min-w-0 flex-1 text-soft">{t('how.parallel')}</span>
        <Select
          label={t('how.parallel')}
          className="max-w-40"
          value={parallel === null ? 'unset' : parallel ? 'yes' : 'no'}
          choices={[
            { value: 'unset', label: t('how.default') },
            { value: 'yes', label: t('how.parallelAllowed') },
            { value: 'no', label: t('how.oneAtATime') },
          ]}
          onPick={(picked) => saveToolUse({ parallel: picked === 'unset' ? null : picked === 'yes' })}
        />
      </div>
    </div>
  )
}
