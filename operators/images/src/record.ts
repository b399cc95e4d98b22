/** The brain's memory as it stands in the status, and back. */
import type { Memory } from './brain/memory.ts';
import type { ImageUpdate } from './resources.ts';

type Status = NonNullable<ImageUpdate['status']>;

const iso = (time: number) => new Date(time).toISOString();

export function memoryOf(status: Partial<Status> | undefined): Memory {
  const { known, update, history = [], quarantine = [], hold, offers = [], resumed, lifted } = status ?? {};
  return {
    known,
    resumed,
    lifted,
    history: history.map((past) => ({ ...past, at: Date.parse(past.at) })),
    quarantine: quarantine.map((bad) => ({ ...bad, at: Date.parse(bad.at) })),
    offers: offers.map((offer) => ({ ...offer, firstSeen: Date.parse(offer.firstSeen) })),
    hold: hold && { ...hold, since: Date.parse(hold.since) },
    update: update && {
      ...update,
      since: Date.parse(update.since),
      wellSince: update.wellSince === undefined ? undefined : Date.parse(update.wellSince),
    },
  };
}

/** Only what there is: a field without a value is no field. */
export function recordOf({ known, update, history, quarantine, hold, offers, resumed, lifted }: Memory) {
  return {
    ...(known === undefined ? {} : { known }),
    ...(resumed === undefined ? {} : { resumed }),
    ...(lifted === undefined ? {} : { lifted }),
    ...(history.length === 0 ? {} : { history: history.map((past) => ({ ...past, at: iso(past.at) })) }),
    ...(quarantine.length === 0 ? {} : { quarantine: quarantine.map((bad) => ({ ...bad, at: iso(bad.at) })) }),
    ...(offers.length === 0 ? {} : { offers: offers.map((offer) => ({ ...offer, firstSeen: iso(offer.firstSeen) })) }),
    ...(hold ? { hold: { ...hold, since: iso(hold.since) } } : {}),
    ...(update ? { update: updateFields(update) } : {}),
  };
}

function updateFields({ since, wellSince, why, ...rest }: NonNullable<Memory['update']>) {
  return {
    ...rest,
    since: iso(since),
    ...(wellSince === undefined ? {} : { wellSince: iso(wellSince) }),
    ...(why === undefined ? {} : { why }),
  };
}
