import * as z from 'zod'

// Zod would try `new Function` to compile its parsers, which the content security policy blocks and reports. Must run before any schema is
// created.
z.config({ jitless: true })
