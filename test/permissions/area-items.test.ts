import { testRoles } from "./area-roles";

testRoles("items");
