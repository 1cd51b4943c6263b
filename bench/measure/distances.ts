/** A place on Earth. Its coordinates are in degrees. */
export interface Place {
  name: string;
  latitude: number;
  longitude: number;
}

const place = (name: string, latitude: number, longitude: number): Place => ({
  name,
  latitude,
  longitude,
});

export const callers = [
  place("Tokyo", 35.7, 139.7),
  place("Singapore", 1.35, 103.8),
  place("Sydney", -33.9, 151.2),
  place("Frankfurt", 50.1, 8.7),
  place("London", 51.5, -0.1),
  place("Virginia", 39, -77.5),
  place("California", 37.3, -121.9),
  place("São Paulo", -23.5, -46.6),
  place("Johannesburg", -26.2, 28),
  place("Mumbai", 19.1, 72.9),
];

/** The location of the primary database, in western Europe. */
export const primary = place("Amsterdam", 52.4, 4.9);

/**
 * Cloudflare's six regions of databases and objects, each as one place: western and eastern North America, western
 * and eastern Europe, Asia and Oceania. South America, Africa and the Middle East have no databases or objects.
 */
export const regions = [
  place("San Jose", 37.3, -121.9),
  place("Ashburn", 39, -77.5),
  primary,
  place("Warsaw", 52.2, 21),
  place("Singapore", 1.35, 103.8),
  place("Sydney", -33.9, 151.2),
];

const earthRadiusKm = 6371;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
/** The haversine of an angle. */
const squaredHalfChord = (angle: number) => Math.sin(angle / 2) ** 2;

function kilometres(from: Place, to: Place): number {
  const [fromLatitude, toLatitude] = [radians(from.latitude), radians(to.latitude)];
  const longitudePart =
    Math.cos(fromLatitude) *
    Math.cos(toLatitude) *
    squaredHalfChord(radians(to.longitude - from.longitude));
  return (
    2 *
    earthRadiusKm *
    Math.asin(Math.sqrt(squaredHalfChord(toLatitude - fromLatitude) + longitudePart))
  );
}

/** The round-trip time in milliseconds. Light in fibre takes a path 1.4 times as long as the great circle. */
export function roundTrip(from: Place, to: Place): number {
  return 1 + (kilometres(from, to) / 100) * 1.4;
}

export function nearest(origin: Place, places: readonly Place[]): Place {
  return places.reduce((closest, candidate) =>
    kilometres(origin, candidate) < kilometres(origin, closest) ? candidate : closest,
  );
}

/** Round-trip times in milliseconds from a caller, and from its credential's object. */
export interface Distances {
  object: number;
  primary: number;
  replica: number;
  objectToPrimary: number;
  objectToReplica: number;
}
