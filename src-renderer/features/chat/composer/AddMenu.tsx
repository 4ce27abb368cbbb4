import { BookText, Paperclip, Plus, UserRound, Wrench } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type RefObject, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { FileInput } from '../../../shared/ui/FileInput.tsx'
import { Menu, MenuItem } from '../../../shared/ui/Menu.tsx'
import { PopoverPanel } from '../../../shared/ui/PopoverPanel.tsx'
import { useTools } from '../../../stores/tools.ts'
import { addFiles } from '../documents/addFiles.ts'
import { focusComposer } from '../focus.ts'
import { openPrompts } from '../list/prompts.ts'
import { offeredNow, offerGroups } from '../tools/offers.ts'
import { useToolUse } from '../tools/setup.ts'
import { ToolPicker } from '../tools/ToolPicker.tsx'
import { ToolSubscriptions } from '../tools/ToolSubscriptions.tsx'
import { RoleForm, roleNames, useSentAs } from './RolePicker.tsx'

type Panel = 'role' | 'tools'

/** The composer's "+" menu: files, prompts, role, tools. A role or tools that apply to the next message have a button beside it. */
export function AddMenu() {
  const { t } = useTranslation('composer')
  const { t: library } = useTranslation('library')
  const tools = useToolTranslate()
  const file = useRef<HTMLInputElement>(null)
  const all = useRef<HTMLSpanElement>(null)
  /** Opens a panel after the menu has restored the focus, because a panel closes when the focus leaves it. */
  const afterMenu = useRef<(() => void) | null>(null)
  const [panel, setPanel] = useState<Panel | null>(null)
  const open = (next: Panel): void => setPanel((now) => (now === next ? null : next))
  const choose = (act: () => void) => () => {
    afterMenu.current = act
  }
  const titles = { role: t('roleTitle'), tools: tools('title') }
  return (
    <Popover.Root open={panel !== null} onOpenChange={(shown) => !shown && setPanel(null)}>
      <Popover.Anchor asChild>
        <span ref={all} className="composer-add">
          <Menu
            align="start"
            trigger={<IconButton icon={Plus} label={t('addMenu')} />}
            onCloseAutoFocus={(event) => {
              const act = afterMenu.current
              afterMenu.current = null
              if (!act) return
              event.preventDefault()
              act()
            }}
          >
            <MenuItem icon={Paperclip} label={t('attach')} onSelect={() => file.current?.click()} />
            <MenuItem icon={BookText} label={library('promptPick')} onSelect={choose(openPrompts)} />
            <MenuItem icon={UserRound} label={t('addRole')} onSelect={choose(() => open('role'))} />
            <MenuItem icon={Wrench} label={t('addTools')} onSelect={choose(() => open('tools'))} />
          </Menu>
          <RoleChip shown={panel === 'role'} onOpen={() => open('role')} />
          <ToolsChip shown={panel === 'tools'} onOpen={() => open('tools')} />
        </span>
      </Popover.Anchor>
      {/* Accepts every file, because text files may have any extension. */}
      <FileInput
        ref={file}
        multiple
        aria-label={t('attach')}
        onFiles={(files) => {
          addFiles(files)
          focusComposer()
        }}
      />
      <ToolSubscriptions />
      <PopoverPanel
        side="top"
        align="start"
        aria-label={panel === null ? undefined : titles[panel]}
        className="composer-panel animate-appear"
        data-panel={panel}
        onInteractOutside={(event) => {
          // The panel's own buttons close the panel.
          if (isInside(all, event.target)) event.preventDefault()
        }}
      >
        {panel === 'role' && <RoleForm />}
        {panel === 'tools' && (
          <>
            <h2 className="mb-2 font-semibold">{tools('title')}</h2>
            <ToolPicker />
          </>
        )}
      </PopoverPanel>
    </Popover.Root>
  )
}

const isInside = (box: RefObject<Element | null>, target: EventTarget | null): boolean =>
  target instanceof Node && (box.current?.contains(target) ?? false)

interface ChipProps {
  shown: boolean
  onOpen: () => void
}

/** The role and name of the next message, unless it is a normal message of the person. */
function RoleChip({ shown, onOpen }: ChipProps) {
  const { t } = useTranslation('composer')
  const { role, name } = useSentAs()
  if (role === 'user' && name === '') return null
  const title = t(roleNames[role])
  return (
    <button
      type="button"
      className="composer-chip text-accent"
      aria-haspopup="dialog"
      aria-expanded={shown}
      aria-label={t('role', { role: name === '' ? title : `${title}, ${name}` })}
      onClick={onOpen}
    >
      <UserRound aria-hidden />
      <span className="chat-clip">{name === '' ? title : `${title}, ${name}`}</span>
    </button>
  )
}

/** The number of tools in the next request. Absent while the chat has none. */
function ToolsChip({ shown, onOpen }: ChipProps) {
  const t = useToolTranslate()
  const tools = useTools((store) => store.tools)
  const { enabled, choice } = useToolUse()
  const offered = useMemo(
    () => (tools ? offeredNow(offerGroups(tools, enabled), enabled).length : enabled.length),
    [tools, enabled],
  )
  const missing = enabled.length - offered
  if (enabled.length === 0) return null
  return (
    <button
      type="button"
      className={offered > 0 && choice !== 'none' ? 'composer-chip text-ink' : 'composer-chip'}
      aria-haspopup="dialog"
      aria-expanded={shown}
      onClick={onOpen}
    >
      <Wrench aria-hidden />
      <span className="num">{t('button.count', { count: offered })}</span>
      {missing > 0 && <span className="num text-warn">{t('button.missing', { count: missing })}</span>}
    </button>
  )
}
