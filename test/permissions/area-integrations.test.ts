import { testRoles } from "./area-roles";

testRoles("integrations");
