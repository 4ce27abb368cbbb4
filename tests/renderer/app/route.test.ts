import { expect, it } from 'vitest'
import { type Route, type RouteStore, returnRoute, withRoute } from '../../../src-renderer/stores/route.ts'

const walk = (...routes: Route[]): RouteStore =>
  routes.reduce<RouteStore>(withRoute, { route: { page: 'chat', id: null }, left: {} })

it('a link to Chat or Transcribe leads to the item that was open there, and from the page itself to the page', () => {
  const away = walk({ page: 'chat', id: 'a' }, { page: 'transcribe', id: 'r' }, { page: 'usage', id: 'limits' })
  expect(returnRoute(away, 'chat')).toEqual({ page: 'chat', id: 'a' })
  expect(returnRoute(away, 'transcribe')).toEqual({ page: 'transcribe', id: 'r' })
  expect(returnRoute(withRoute(away, { page: 'chat', id: 'a' }), 'chat')).toEqual({ page: 'chat', id: null })
})

it('an item that was closed does not return, and other pages have none', () => {
  const away = walk({ page: 'chat', id: 'a' }, { page: 'chat', id: null }, { page: 'settings', id: 'data' })
  expect(returnRoute(away, 'chat')).toEqual({ page: 'chat', id: null })
  const back = withRoute(away, { page: 'images', id: null })
  expect(returnRoute(back, 'settings')).toEqual({ page: 'settings', id: null })
})
