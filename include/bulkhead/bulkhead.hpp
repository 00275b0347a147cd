/* Taken over by another helper: include/bulkhead/bulkhead.hpp and tests/unit/test_cpp.cpp are being written by it. (Lead) */
