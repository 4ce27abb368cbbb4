import './stage.css'
import { PanelLeft, PanelLeftClose, PanelRight } from 'lucide-react'
import { createContext, type ReactNode, use } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from './Button.tsx'

/** Functions of the frame for the bar of a stage. Null for a region that the page does not have. */
export interface FrameControls {
  list: { shown: boolean; toggle: () => void; shortcut: string } | null
  inspector: { shown: boolean; toggle: () => void; shortcut: string } | null
}

export const FrameContext = createContext<FrameControls>({ list: null, inspector: null })

/** Shows or collapses the list. */
export function ListToggle() {
  const { list } = use(FrameContext)
  const { t } = useTranslation('common')
  if (!list) return null
  return (
    <IconButton
      icon={list.shown ? PanelLeftClose : PanelLeft}
      label={t(list.shown ? 'hideList' : 'showList')}
      shortcut={list.shortcut}
      data-action="list"
      onClick={list.toggle}
      className="-ms-1.5"
    />
  )
}

export function InspectorToggle() {
  const { inspector } = use(FrameContext)
  const { t } = useTranslation('common')
  if (!inspector) return null
  const { shown, toggle, shortcut } = inspector
  return <IconButton icon={PanelRight} label={t('inspector')} shortcut={shortcut} pressed={shown} onClick={toggle} />
}

/** The header of a stage: title, facts, actions, and toggles of the other regions. */
export function StageBar(props: { title: ReactNode; beside?: ReactNode; actions?: ReactNode }) {
  return (
    <header className="@container flex min-h-12 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 border-line border-b px-4 py-1.5">
      <ListToggle />
      <h1 className="min-w-0 truncate font-semibold text-l leading-8 tracking-[-.01em]">{props.title}</h1>
      {props.beside}
      <div className="ms-auto flex min-w-0 items-center gap-2">
        {props.actions}
        <InspectorToggle />
      </div>
    </header>
  )
}
