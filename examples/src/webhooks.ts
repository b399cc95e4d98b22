/**
 * Webhooks, validating and mutating: what neither the schema nor a CEL rule can say. The operator makes its own
 * certificates, and tells the API server about them. It reconciles nothing, so it watches nothing either.
 */
import { deny, operator, resource, z } from '@kurator/sdk';

export const Ticket = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Ticket',
  spec: z.object({ title: z.string(), assignee: z.string().optional(), reporter: z.string().optional() }),
});

const team = new Set(['ada', 'grace', 'margaret']);

export const example = operator({ name: 'tickets' })
  .controller(Ticket)
  .mutate((ticket, { user }) => {
    ticket.spec.reporter ??= user.username;
    ticket.spec.title = ticket.spec.title.trim();
  })
  .validate(({ spec }) => {
    if (spec.assignee && !team.has(spec.assignee)) {
      return deny('spec.assignee', `must be one of the team: ${[...team].join(', ')}`);
    }
    return true;
  });
