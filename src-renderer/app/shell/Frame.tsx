import { useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Drawer } from '../../shared/ui/Dialog.tsx'
import { shortcut } from '../../shared/ui/platform.ts'
import { FrameContext, type FrameControls } from '../../shared/ui/StageBar.tsx'
import { appStore, useApp } from '../../stores/app.ts'
import { useRoute } from '../../stores/route.ts'
import { DataNotice } from './DataNotice.tsx'
import { pageViews } from './pages.ts'
import { Rail } from './Rail.tsx'
import { StatusBar } from './StatusBar.tsx'
import { useMedia } from './useMedia.ts'
import { Welcome } from './Welcome.tsx'

const closeList = () => appStore.setState({ listDrawerOpen: false })
const closeInspector = () => appStore.setState({ inspectorShown: false })

/** Each page starts with its inspector shown, or closed if it is on demand, and remembers what the person chose. */
function useInspectorOfPage(page: keyof typeof pageViews, fits: boolean): void {
  const shown = useRef(new Map<string, boolean>())
  // Before the first paint, so that no inspector flashes up.
  useLayoutEffect(() => {
    if (!fits) {
      closeInspector()
      return
    }
    const { current: remembered } = shown
    appStore.setState({ inspectorShown: remembered.get(page) ?? !pageViews[page].inspectorOnDemand })
    return () => void remembered.set(page, appStore.getState().inspectorShown)
  }, [page, fits])
}

/** The window: rail, list, stage, inspector, status bar. Below 840 px the list slides over the stage, below 1100 px the inspector does. */
export function Frame() {
  const { t } = useTranslation(['shell', 'common'])
  const route = useRoute()
  const listDrawerOpen = useApp((store) => store.listDrawerOpen)
  const inspectorShown = useApp((store) => store.inspectorShown)
  const firstRun = useApp(({ app }) => app?.connection.state === 'none' && app.connection.profile === null)
  const listFits = useMedia('(min-width: 840px)')
  const inspectorFits = useMedia('(min-width: 1100px)')
  const { List, Stage, Inspector } = pageViews[route.page]
  const welcome = firstRun && route.page === 'chat' && route.id === null

  // A drawer is for one look: it goes when the place changes, and an inspector that no longer fits doesn't jump over the stage.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the position only
  useEffect(closeList, [route, listFits])
  useInspectorOfPage(route.page, inspectorFits)

  const hasInspector = Inspector !== undefined
  const hasList = List !== undefined
  const controls = useMemo<FrameControls>(
    () => ({
      openList: hasList && !listFits ? () => appStore.setState({ listDrawerOpen: true }) : null,
      inspector: hasInspector
        ? {
            shown: inspectorShown,
            toggle: () => appStore.setState(({ inspectorShown }) => ({ inspectorShown: !inspectorShown })),
            shortcut: shortcut('.'),
          }
        : null,
    }),
    [hasList, hasInspector, listFits, inspectorShown],
  )

  return (
    <div className="flex h-full flex-col">
      <div className="flex min-h-0 flex-1">
        <Rail />
        {List && listFits && !welcome && (
          <aside aria-label={t('list')} className="flex w-[268px] shrink-0 flex-col bg-panel">
            <List />
          </aside>
        )}
        <main className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
          <FrameContext value={controls}>
            <DataNotice />
            {welcome ? <Welcome /> : <Stage />}
          </FrameContext>
        </main>
        {Inspector && inspectorFits && inspectorShown && !welcome && (
          <aside
            aria-label={t('common:inspector')}
            className="relative flex w-[272px] shrink-0 flex-col overflow-y-auto bg-panel text-s"
          >
            <Inspector />
          </aside>
        )}
      </div>
      <StatusBar />
      {List && !listFits && (
        <Drawer side="left" label={t('list')} open={listDrawerOpen} onClose={closeList}>
          <List />
        </Drawer>
      )}
      {Inspector && !inspectorFits && (
        <Drawer side="right" label={t('common:inspector')} open={inspectorShown} onClose={closeInspector}>
          <div className="relative flex min-h-0 flex-1 flex-col overflow-y-auto text-s">
            <Inspector />
          </div>
        </Drawer>
      )}
    </div>
  )
}
