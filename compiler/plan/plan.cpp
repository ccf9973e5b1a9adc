#include "compiler/plan/plan.h"
